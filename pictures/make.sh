#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# pictures/make.sh BUILD: makes the pictures of this folder, as root. BUILD is a folder with the programs, and with
# tests/live/grow of "make check TESTS=". While a task keeps timers and others walk over files, kmemtraced records
# this kernel for six seconds; then the page, the flame graph and kmemtrace-top are shown in a browser.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
browser=chromium
for program in tmux "$browser"; do
	command -v "$program" >/dev/null || { echo "make.sh: $program is missing: install it" >&2; exit 2; }
done
scratch=$(mktemp -d)
cd "$scratch"

finish()
{
	touch stop
	tmux -S "$scratch/tmux" kill-server 2>/dev/null
	[ -z "${grow:-}" ] || kill "$grow" 2>/dev/null
	wait
	rm -rf "$scratch"
}
trap finish EXIT

work()
{
	while [ ! -e stop ]; do
		find /usr/share -type f >/dev/null 2>&1
		tar -cf - /usr/include 2>/dev/null | cat >/dev/null
	done
}

# shoot NAME SCHEME WIDTH HEIGHT FILE: a picture of the upper part of a page
shoot()
{
	local scheme=1

	[ "$2" = light ] || scheme=0
	timeout 60 "$browser" --headless=new --no-sandbox --disable-gpu --hide-scrollbars --disable-lcd-text --user-data-dir="$scratch/profile" \
		--blink-settings=preferredColorScheme=$scheme --window-size="$3,$4" --virtual-time-budget=3000 \
		--screenshot="$here/$1.png" "file://$scratch/$5" >shoot.log 2>&1 || { cat shoot.log >&2; exit 1; }
	[ "$(stat -c %s "$here/$1.png")" -le 102400 ] || { echo "make.sh: $1.png is larger than 100 KB" >&2; exit 1; }
}

work &
"$build/tests/live/grow" timer 8000 30 "$scratch" >grow.log &
grow=$!
"$build/kmemtraced" --stacks=16k -d 6 -o capture
"$build/kmemtrace-report" --html=page.html capture
"$build/kmemtrace-report" flame --format=svg capture >flame.svg
tmux -S tmux -f /dev/null new-session -d -x 80 -y 24 "$build/kmemtrace-top --start -s growth"
# growth needs some refreshes
for _ in $(seq 12); do
	sleep 1
done
tmux -S tmux capture-pane -p >top.text
{
	echo '<style>body { margin: 8px; background: #16181b; color: #e8e8e6; } pre { font: 12px/1.2 monospace; margin: 0; }</style><pre>'
	sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' top.text
} >top.html
shoot page light 960 600 page.html
shoot narrow dark 480 700 page.html
shoot flame light 1280 500 flame.svg
shoot top light 620 400 top.html
ls -l "$here"/*.png
