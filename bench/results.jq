# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The results as JSON, from the tab-separated files of the benches (jq -n --rawfile …).
def rows: split("\n") | map(select(length > 0) | split("\t"));
def number: if . == "" then null else tonumber end;
{
	schema: 1,
	date: $date,
	quick: ($quick == "yes"),
	rounds: ($rounds | tonumber),
	failure: (if $failure == "" then null else $failure end),
	machine: ($machine | rows | map({key: .[0], value: .[1]}) | from_entries),
	tools: ($tools | rows | map({key: .[0], value: .[1]}) | from_entries),
	commands: ($commands | rows | map({bench: .[0], tool: .[1], command: .[2]})),
	absent: ($absent | rows | map({bench: .[0], tool: .[1], why: .[2]})),
	figures: ($figures | rows | map({bench: .[0], case: .[1], tool: .[2], metric: .[3],
		rounds: (.[4] | tonumber), median: (.[5] | tonumber), least: (.[6] | tonumber),
		most: (.[7] | tonumber), samples: (.[8] | split(",") | map(tonumber))})),
	ratios: ($compared | rows | map({bench: .[0], metric: .[1], case: .[2], tool: .[3],
		of_case: .[4], of_tool: .[5], ratio: (.[6] | number), least: (.[7] | number),
		most: (.[8] | number), low: (.[9] | number), high: (.[10] | number)})),
	required: ($required | rows | map({what: .[0], required: .[1], measured: (.[2] | number),
		met: (if .[3] == "yes" then true elif .[3] == "no" then false else null end)}))
}
