#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Options of kmemtraced that are wrong, alone or together, are refused before anything is done. Each line has the
# options of one start; after "!" comes a command for the folder.
. "$srcdir/cli/cli.sh"
need_tracer

while read -r line; do
	case $line in
	'' | '#'*) continue ;;
	'!'*)
		eval "${line#!}" || fail "$line"
		continue
		;;
	esac
	eval "set -- $line"
	echo "\$ kmemtraced $*"
	"$kmemtraced" "$@" true >said 2>&1 </dev/null
	code=$?
	grep -v '^Try' said
	rm said
	echo "exit $code"
done >out <<'END'
# --count: also a field that only a capture can give
--by=comm
--where='pid == 1'
--sum=bytes_req
--count-groups=5
--format=json
--count -o cap
--count -z
--count -m 4
--count --publish=f
--count --proc-mem
--count --by=comn
--count --by=age
--count --by=comm,alloc_site
--count --where='time < 1s'
--count --where=pid
--count --max=ptr
--count --probes=dtmalloc::dentry:free
--count=missed_site
--count --sum=comm
--count --linear=bytes_req,0,10
--count --count-groups=0
--count --count-groups=16777217
--count --format=xml
-s count
-l 3
--count -s sum
--count --by=comm --sum=bytes_req -s sum,com
--count -l many

# --metrics
--metrics=
--metrics=f
--metrics=d.prom/f
--metrics-top=5
--metrics-interval=5
--metrics=f.prom --metrics-top=0
--metrics=f.prom --metrics-top=8193
--metrics=f.prom --metrics-interval=99ms
--metrics=f.prom --metrics-interval=often
--metrics=f.prom --count
--metrics=f.prom --probes=vm.pagefault
--metrics=f.prom --no-capture -z
--metrics=f.prom --no-capture --stacks
--profile --no-capture
--metrics=f.prom --profile --user-stacks --no-capture
--publish=f --no-details --profile

# --switch-output: also a directory that is neither a set nor a capture
--switch-output=
--switch-output=100
--switch-output=10
--switch-output=1.5M
--switch-output=1T
--switch-output=M
--switch-output=m
--switch-output=5x
--switch-output=1h5
--switch-output=-1s
--switch-output=99ms
--switch-output=0s
--switch-output=63k
--switch-output=10000000000000000000G
--max-files=5
--max-disk=1G
--switch-output=1h --max-files=0
--switch-output=1h --max-files=1000000
--switch-output=1h --max-disk=31M
--switch-output=1h --max-disk=1h
--switch-output=1h --count
--switch-output=1h --no-capture --publish=f
--switch-output=1h -o -
! mkdir set
! mkdir set/piece.000001 set/other
--switch-output=1h -o set
! rmdir set/other
! chmod 777 set
--switch-output=1h -o set
! chmod 700 set
-o set
! rm -r set

# --publish
--no-capture
--publish-group=0
--publish-objects=5
--publish-base
--publish=
--publish=f --no-capture -o cap
--publish=f --no-capture -z
--publish=f --publish-group=
--publish=f --publish-group=no-such-group
--publish=f --publish-group=-1
--publish=f --publish-group=4294967295
--publish=f --publish-objects=0
--publish=f --publish-objects=1k
--publish=f --publish-objects=4294967296

# --summaries
--summaries=
--summaries=0
--summaries=999ms
--summaries=25h
--summaries=often
--summaries --summaries-dir=
--summaries --summaries-keep=23h
--summaries --summaries-keep=7
--summaries --summaries-keep=ever
--summaries --role=
--summaries --role=-
--summaries-dir=d
--summaries-keep=7d
--role=web
--summaries --count
--summaries --probes=vm.pagefault
--summaries --no-capture -z
--summaries --no-capture --stacks
--summaries --no-details
--audit -o -
--audit --profile
--audit --count
--audit --probes=vm.pagefault
--audit --no-capture --trigger="lost > 1%"
END
compare kmemtraced-wrong.expected out
[ "$(ls)" = out ] || fail "left behind: $(ls)"
