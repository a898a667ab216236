// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Estimates of figures, and intervals of their changes. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "report/diff/change.h"
#include "report/diff/student.h"

static const struct diff_figures no_figures;

/* The sum of the changes of the slices first..count. */
static double sum_up(const double *values, size_t first, size_t count)
{
	double sum = 0;

	for (size_t i = first; i < count; i++)
		sum += values[i];
	return sum;
}

/* The variance of the sum of all slices, by those from `first` on. */
static double batch_variance(const double *changes, const double *work, size_t first, size_t count)
{
	double sum = 0, all = sum_up(work, first, count);
	double rate = all > 0 ? sum_up(changes, first, count) / all : 0;

	for (size_t i = first; i < count; i++) {
		double error = changes[i] - rate * work[i];

		sum += error * error;
	}
	return (double)count / (double)(count - first - 1) * sum;
}

/* The mean square of the state at the end of each slice - the state at the end. */
static double level_variance(const double *changes, size_t count)
{
	double sum = 0, after = 0, most = 0;

	for (size_t i = count - 1; i > 0; i--) {
		after += changes[i];
		sum += after * after;
		most = fmax(most, fabs(after));
	}
	return fmax(sum / (double)(count - 1), most * most / 4);
}

/* The mean square of the peak of a slice - the peak, without the first slice. */
static double peak_variance(const struct diff_figures *figures, size_t count)
{
	double sum = 0;

	for (size_t i = 1; i < count; i++)
		sum += (figures->peak - figures->peaks[i]) * (figures->peak - figures->peaks[i]);
	return sum / (double)(count - 1);
}

bool diff_is_state(enum diff_figure figure)
{
	return figure >= DIFF_FLOWS;
}

/* How many objects one object of so many bytes counts for: with samples, more than one. */
static double weight_of(const struct diff_side *side, double bytes)
{
	if (side->interval <= 0 || bytes <= 0)
		return 1;
	return 1 / -expm1(-bytes / side->interval);
}

/* The part of the figure that one object more would add. */
static double one_object(enum diff_figure figure, double bytes, double waste)
{
	switch (figure) {
	case DIFF_ALLOCATIONS:
	case DIFF_LIVE_OBJECTS:
		return 1;
	case DIFF_WASTE:
		return waste;
	case DIFF_ALLOCATED:
	case DIFF_GROWTH:
	case DIFF_LIVE:
	case DIFF_PEAK:
	case DIFF_FIGURES:
		break;
	}
	return bytes;
}

static double variance_of(const struct diff_side *side, const struct diff_work *work,
			  enum diff_figure figure, const struct diff_figures *figures)
{
	size_t count = side->slices;
	const double *changes;
	double steps;

	if (figure == DIFF_PEAK)
		return count > 1 ? peak_variance(figures, count) : 0;
	changes = figures->histories[figure].changes;

	if (!diff_is_state(figure))
		return count > 1 ? batch_variance(changes, work->slices, 0, count) : 0;
	if (count <= 2)
		return 0;
	steps = batch_variance(changes, work->slices, 1, count);
	return fmin(steps, level_variance(changes, count));
}

/* The sum of the squares of the parts of the single objects. */
static double squares_of(enum diff_figure figure, const struct diff_figures *figures)
{
	if (figure == DIFF_PEAK)
		return figures->peak * figures->largest;
	return figures->histories[figure].squares;
}

static double missing_events(const struct diff_side *side, enum diff_figure figure)
{
	return side->missing + (diff_is_state(figure) ? side->missing_before : 0);
}

static bool is_number(enum diff_figure figure)
{
	return figure == DIFF_ALLOCATIONS || figure == DIFF_LIVE_OBJECTS;
}

/* The range that lost, skipped and unobserved events leave. */
static void set_range(struct diff_estimate *estimate, const struct diff_side *side,
		      enum diff_figure figure, const struct diff_figures *figures, double one)
{
	double missing = one > 0 ? missing_events(side, figure) * one : 0;
	double hidden = is_number(figure) ? side->hidden / 8 /* the least object has 8 bytes */
					  : side->hidden;

	estimate->low = estimate->value;
	estimate->high = estimate->value + missing + hidden;
	if (figure == DIFF_GROWTH)
		estimate->low -= missing + hidden;
	if (!diff_is_state(figure))
		return;
	estimate->high += figures->unobserved * one;
	if (figure == DIFF_LIVE_OBJECTS)
		estimate->low -= figures->doubtful + missing;
	else if (figure == DIFF_LIVE)
		estimate->low -= figures->doubtful_bytes + missing;
	else
		estimate->low = figures->doubtful > 0 ? 0 : estimate->low - missing;
	if (estimate->low < 0)
		estimate->low = 0;
}

struct diff_estimate diff_scale(struct diff_estimate estimate, double factor)
{
	estimate.value *= factor;
	estimate.low *= factor;
	estimate.high *= factor;
	estimate.variance *= factor * factor;
	return estimate;
}

void diff_work_init(struct diff_work *work, const struct diff_side *side, const double *slices,
		    double unit)
{
	*work = (struct diff_work){ slices, unit, sum_up(slices, 0, side->slices) };
}

struct diff_estimate diff_estimate(const struct diff_side *side, const struct diff_work *work,
				   enum diff_figure figure, const struct diff_figures *figures,
				   const struct diff_figures *other)
{
	const struct diff_figures *own = figures ? figures : &no_figures;
	double bytes = fmax(own->largest, other ? other->largest : 0);
	double waste = fmax(own->most_waste, other ? other->most_waste : 0);
	double smallest = diff_smaller(own->smallest, other ? other->smallest : 0);
	double one = one_object(figure, bytes, waste), lost;
	struct diff_estimate estimate = { .value = diff_figures_value(own, figure, side->slices) };
	double least;

	lost = one * weight_of(side, is_number(figure) ? smallest : bytes);
	one *= weight_of(side, bytes);
	set_range(&estimate, side, figure, own, lost);
	least = fmax(squares_of(figure, own), one * one);
	estimate.variance = fmax(variance_of(side, work, figure, own), least);
	/* a lost sample has a sampling error, too */
	if (side->interval > 0 && lost > 0 && isfinite(missing_events(side, figure)))
		estimate.variance += missing_events(side, figure) * lost * lost;
	estimate.freedom = side->slices > 3 ? (double)side->slices - (diff_is_state(figure) ? 2 : 1)
					    : 1;
	return diff_is_state(figure) ? estimate : diff_scale(estimate, work->unit / work->sum);
}

/* Degrees of freedom of the sum of two variances: Welch and Satterthwaite. */
static double freedom_of(double a, double a_freedom, double b, double b_freedom)
{
	if (a + b <= 0)
		return fmin(a_freedom, b_freedom);
	return (a + b) * (a + b) / (a * a / a_freedom + b * b / b_freedom);
}

void diff_level_init(struct diff_level *level, double error)
{
	level->quantiles[0] = INFINITY;
	for (size_t i = 1; i <= DIFF_FREEDOM_MAX; i++)
		level->quantiles[i] = student_quantile(error, (double)i);
}

static double find_quantile(const struct diff_level *level, double freedom)
{
	return level->quantiles[freedom < DIFF_FREEDOM_MAX ? (size_t)freedom : DIFF_FREEDOM_MAX];
}

static enum diff_state state_of(double a, double b)
{
	if (a == b)
		return DIFF_SAME;
	if (a == 0)
		return DIFF_NEW;
	if (b == 0)
		return DIFF_GONE;
	return a < b ? DIFF_GROWN : DIFF_SHRUNK;
}

static void set_certain(struct diff_change *change)
{
	change->is_certain = change->low > 0 || change->high < 0;
	change->least = 0;
	if (change->low > 0)
		change->least = change->low;
	else if (change->high < 0)
		change->least = change->high;
}

struct diff_change diff_change(struct diff_estimate a, struct diff_estimate b,
			       const struct diff_level *level)
{
	struct diff_change change = { .a = a, .b = b };
	double freedom = freedom_of(a.variance, a.freedom, b.variance, b.freedom);
	double chance = find_quantile(level, freedom) * sqrt(a.variance + b.variance);

	change.change = b.value - a.value;
	change.percent = a.value > 0 ? 100 * change.change / a.value : NAN;
	change.low = b.low - a.high - chance;
	change.high = b.high - a.low + chance;
	change.state = isnan(change.change) ? DIFF_SAME : state_of(a.value, b.value);
	set_certain(&change);
	return change;
}

struct diff_change diff_change_of_state(struct diff_estimate a, struct diff_estimate b,
					double factor, const struct diff_level *level)
{
	const struct diff_change grown = diff_change(a, diff_scale(b, factor), level);
	struct diff_change change = diff_change(a, b, level);

	change.low = fmin(change.low, grown.low);
	change.high = fmax(change.high, grown.high);
	set_certain(&change);
	return change;
}

bool diff_exceeds(const struct diff_estimate *a, const struct diff_estimate *b, double factor,
		  double more, const struct diff_level *level)
{
	double variance = factor * factor * a->variance;
	double freedom = freedom_of(variance, a->freedom, b->variance, b->freedom);
	double chance = find_quantile(level, freedom) * sqrt(variance + b->variance);

	return b->low - factor * a->high - more - chance > 0;
}
