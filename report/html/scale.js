// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The scales of the picture over time: lines and labels at round numbers.

// The least of 1, 2, 5, 10, 20, 50 ... that is not below.
function roundStep(least) {
	const power = Math.pow(10, Math.floor(Math.log10(least)));
	return power * [1, 2, 5, 10].find((factor) => factor * power >= least * 0.999999);
}

// The same in the unit in which bytes are written: KiB, MiB ...
function binaryStep(least) {
	let unit = 1;
	while (least >= unit * 512 && unit < Math.pow(1024, 4))
		unit *= 1024;
	return Math.max(1, roundStep(least / unit) * unit);
}

function rateText(value) {
	return value >= 1e6 ? (value / 1e6).toFixed(1) + " M/s" : value >= 1e3 ? (value / 1e3).toFixed(1) + " k/s"
		: value < 1 && value > 0 ? value.toPrecision(1) + "/s" : value.toFixed(0) + "/s";
}

function drawScale(out, highest, top, height, step, text) {
	for (let value = 0; value <= highest; value += step) {
		const y = (top + height * (1 - value / highest)).toFixed(1);
		out.append(draw("line", { class: "axis", x1: chart.left, x2: chart.width - chart.right, y1: y, y2: y }),
			draw("text", { class: "soft", x: chart.left - 6, y: +y + 4, "text-anchor": "end" },
				text(value).replace(/\.0+ /, " ")));
	}
}

// The unit is that of the end of the capture, with the decimals that the step needs.
function roundTime(ns, step) {
	const [size, name] = [[1e9, "s"], [1e6, "ms"], [1e3, "us"]].find(([one]) => chartEnd() >= one) || [1, "ns"];
	return (ns / size).toFixed(Math.max(0, -Math.floor(Math.log10(step / size) + 0.000001))) + " " + name;
}

function drawTimes(out) {
	const step = Math.max(1, roundStep((chartEnd() - chartBegin()) / (chart.width / 96)));
	const y = chart.ratesTop + chart.ratesHeight;
	for (let time = Math.ceil(chartBegin() / step) * step; time <= chartEnd(); time += step) {
		const x = xOf(time);
		out.append(draw("line", { class: "axis", x1: x, x2: x, y1: y, y2: y + 4 }),
			draw("text", { class: "soft", x, y: y + 18, "text-anchor": x > chart.width - 30 ? "end" : "middle" },
				countsEvents ? number(time) : roundTime(time, step)));
	}
	out.append(draw("text", { class: "soft", x: chart.left, y: y + 36 },
		(countsEvents ? "events" : "time") + " since the begin of the capture"));
}
