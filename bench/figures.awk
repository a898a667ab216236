# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# From the samples of all rounds and the requested ratios, makes two tab-separated files: the one
# named by the variable figures,
#	bench case tool metric rounds median least most sample,sample,...
# and the one named by the variable compared,
#	bench metric case tool case tool ratio least most
# where the ratio is that of the medians, and least and most are of single rounds. If the first median
# is below 0, or the second is not above 0, there is no ratio, and all three are empty. If that is so
# in any round, least and most are empty: they would not include the worst round.
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
		print $1, $2, $3, $4, $5, $6, "", "", "" >compared
		next
	}
	least = most = ""
	for (i = 1; i <= counts[a] && i <= counts[b]; i++) {
		if (samples[a, i] < 0 || samples[b, i] <= 0) {
			least = most = ""
			break
		}
		ratio = samples[a, i] / samples[b, i]
		if (least == "" || ratio < least)
			least = ratio
		if (most == "" || ratio > most)
			most = ratio
	}
	print $1, $2, $3, $4, $5, $6, median(a) / median(b), least, most >compared
}

END {
	for (k = 1; k <= key_count; k++) {
		delete list
		count = sorted(keys[k], list)
		print keys[k], count, median(keys[k]), list[1], list[count], text[keys[k]] >figures
	}
}
