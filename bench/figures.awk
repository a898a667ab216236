# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# From the samples of all rounds and the requested ratios, makes two tab-separated files: the one
# named by the variable figures,
#	bench case tool metric rounds median least most sample,sample,...
# and the one named by the variable compared,
#	bench metric case tool case tool ratio least most low high
# where the ratio is that of the medians, and least and most are of single rounds. If the first median
# is below 0, or the second is not above 0, there is no ratio, and all five are empty. If that is so
# in any round, least and most are empty: they would not include the worst round.
#
# From 6 rounds on, the ratio is the r for which half of the rounds have a first value above r times
# the second: noise that is in both values of a round cancels. Low and high are its 95 % interval, by
# the sign test: about half. No distribution of the noise is assumed. High is empty if there is no
# upper limit; low and high are with less than 6 rounds.
BEGIN { FS = OFS = "\t" }

# An insertion sort, since rounds are few.
function sorted(key, list, count,    i, j, value) {
	count = counts[key]
	for (i = 1; i <= count; i++) {
		value = samples[key, i]
		for (j = i - 1; j > 0 && list[j] > value; j--)
			list[j + 1] = list[j]
		list[j + 1] = value
	}
	return count
}

function median(key,    list, count) {
	count = sorted(key, list)
	return count % 2 ? list[(count + 1) / 2] : (list[count / 2] + list[count / 2 + 1]) / 2
}

# The least number of rounds, of count, that a side of the sign test needs.
function least_of_side(count,    below, probability, i) {
	below = probability = exp(-count * log(2))
	for (i = 0; below <= 0.025; i++) {
		probability *= (count - i) / (i + 1)
		below += probability
	}
	return i
}

# How many of count rounds have a first value above r times the second.
function rounds_above(a, b, r, count,    above, i) {
	for (i = 1; i <= count; i++)
		above += samples[a, i] > r * samples[b, i]
	return above
}

# Sets ratio, low and high. The number of rounds above changes only at the ratio of a round.
function make_interval(a, b,    count, rounds, i, side, list, above, before) {
	ratio = median(a) / median(b)
	low = high = ""
	rounds = counts[a] < counts[b] ? counts[a] : counts[b]
	side = least_of_side(rounds)
	if (!side)
		return
	counts["ratio"] = 0
	for (i = 1; i <= rounds; i++)
		if (samples[b, i] && samples[a, i] / samples[b, i] > 0)
			samples["ratio", ++counts["ratio"]] = samples[a, i] / samples[b, i]
	count = sorted("ratio", list)
	list[0] = 0
	list[count + 1] = 2 * list[count] + 1
	before = rounds
	for (i = 0; i <= count; i++) {
		above = rounds_above(a, b, (list[i] + list[i + 1]) / 2, rounds)
		if (2 * above == rounds)
			ratio = (list[i] + list[i + 1]) / 2
		else if (2 * before > rounds && 2 * above < rounds)
			ratio = list[i]
		before = above
		if (above < side || above > rounds - side)
			continue
		if (low == "")
			low = list[i]
		high = i < count ? list[i + 1] : ""
	}
}

FILENAME == ARGV[1] {
	key = $1 FS $2 FS $3 FS $4
	if (!(key in counts))
		keys[++key_count] = key
	samples[key, ++counts[key]] = $5 + 0
	text[key] = text[key] (counts[key] > 1 ? "," : "") $5
	next
}

{
	a = $1 FS $3 FS $4 FS $2
	b = $1 FS $5 FS $6 FS $2
	if (!(a in counts) || !(b in counts))
		next
	if (median(a) < 0 || median(b) <= 0) {
		print $1, $2, $3, $4, $5, $6, "", "", "", "", "" >compared
		next
	}
	least = most = ""
	for (i = 1; i <= counts[a] && i <= counts[b]; i++) {
		if (samples[a, i] < 0 || samples[b, i] <= 0) {
			least = most = ""
			break
		}
		one = samples[a, i] / samples[b, i]
		if (least == "" || one < least)
			least = one
		if (most == "" || one > most)
			most = one
	}
	make_interval(a, b)
	print $1, $2, $3, $4, $5, $6, ratio, least, most, low, high >compared
}

END {
	for (k = 1; k <= key_count; k++) {
		delete list
		count = sorted(keys[k], list)
		print keys[k], count, median(keys[k]), list[1], list[count], text[keys[k]] >figures
	}
}
