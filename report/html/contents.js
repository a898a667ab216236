// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The list of sections, and panels.

function startContents() {
	for (const title of document.querySelectorAll("h2, h3.section"))
		document.getElementById("contents").append(make("li", {},
			make("a", { href: "#" + title.id, "data-jump": title.id }, title.textContent)));
	// the fragment is the state: a jump does not change it
	document.addEventListener("click", (event) => {
		const link = event.target.closest("[data-jump]");
		if (!link)
			return;
		const title = document.getElementById(link.dataset.jump);
		event.preventDefault();
		title.setAttribute("tabindex", "-1");
		title.focus();
		title.scrollIntoView();
	});
}

function panel(title, ...children) {
	return make("div", { class: "panel" }, make("h3", {}, title), ...children);
}
