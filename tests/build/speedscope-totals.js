// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// speedscope-totals.js RELEASE FILE...: reads each file with the importers of a release of speedscope
// and prints the total weight of each of its profiles. The release is one script for browsers, which
// runs here without a page; only its importers are used.
'use strict';
const fs = require('fs');
const vm = require('vm');

const [release, ...files] = process.argv.slice(2);
const script = fs.readdirSync(release).find(name => /^speedscope-.*\.js$/.test(name));
let code = fs.readFileSync(`${release}/${script}`, 'utf8');

// The script keeps its importers in a variable: their object becomes a global one, too.
const name = code.match(/([\w$]+),\{[^{}]*importProfileGroupFromText:/)[1].replace(/\$/g, '\\$&');
code = code.replace(new RegExp(`(\\([\\w$]+\\(\\),)(${name}\\))`), '$1globalThis.importers=$2');

// In place of the page: an object that has each property, and is a function, too.
const page = new Proxy(function () {}, {
	get: (target, key) => key === Symbol.toPrimitive ? () => '' : key === 'then' ? undefined : page,
	apply: () => page,
	construct: () => page,
	set: () => true,
});
const world = {
	document: page, navigator: page, location: page, localStorage: page,
	addEventListener() {}, requestAnimationFrame: () => 0,
	HTMLElement: function () {}, FileReader: function () {},
	console: { log() {}, error: console.error, warn: console.error },
	TextDecoder, TextEncoder, setTimeout, URL, atob, performance,
	Uint8Array, ArrayBuffer, DataView, Float32Array, Int32Array, Promise,
};
world.window = world.self = world;
vm.createContext(world);
try {
	vm.runInContext(code, world);
} catch (error) {
	console.error(`without a page: ${error.message}`);
}

setTimeout(async () => {
	for (const file of files) {
		const bytes = fs.readFileSync(file);
		const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
		const group = await world.importers.importProfilesFromArrayBuffer(file, buffer);

		for (const profile of group.profiles)
			console.log(`${file}: ${profile.getTotalWeight()}`);
	}
}, 0);
