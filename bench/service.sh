# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# The cost of kmemtraced as a service that stays on: the CPU time of a server for each request, with
# that of kmemtraced itself, beside the same server without it, and with BPF programs that do nothing:
# no tracer of these tracepoints costs less. The server stays the same process; it and its client
# have a CPU each. Sourced by bench/run.

space_service=(500 100)
about_service="CPU time of servers for each request, with kmemtraced as a service"

service_tools=("empty program" "kmemtraced --profile --metrics")
service_slices=3 # of a turn: an odd number

# Prints the CPU time of a process and its threads, ns.
cpu_of()
{
	cat /proc/"$1"/task/*/schedstat | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}

# Is there nothing that listens to this port of 127.0.0.1?
is_free()
{
	! (: >"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# Sets $port to a free port.
service_port()
{
	for ((port = 48100 + $$ % 100; port < 48300; port++)); do
		is_free "$port" && return
	done
	could_not "service: no port up to 48299 of 127.0.0.1 is free"
}

# service_start COMMAND…: starts a server on the last CPU, and waits until it listens to $port.
service_start()
{
	taskset -c "$(($(getconf _NPROCESSORS_ONLN) - 1))" "$@" >"$scratch/server.log" 2>&1 </dev/null 9>&- &
	serving=$!
	for ((i = 0; i < 1200; i++)); do
		is_free "$port" || return 0
		kill -0 "$serving" 2>/dev/null || break
		sleep 0.1
	done
	could_not "service: $1 does not listen to port $port: $(tail -n 1 "$scratch/server.log")"
}

service_stop()
{
	kill "$serving"
	wait "$serving"
	serving=
}

start_nginx()
{
	service_port
	mkdir -p "$memory/www"
	head -c 600 /dev/zero | tr '\0' x >"$memory/www/index.html"
	cat >"$scratch/nginx.conf" <<-END
		daemon off;
		master_process off;
		pid $scratch/nginx.pid;
		error_log $scratch/nginx.log;
		events { worker_connections 1024; }
		http {
			access_log off;
			client_body_temp_path $scratch/body;
			proxy_temp_path $scratch/proxy;
			fastcgi_temp_path $scratch/fastcgi;
			uwsgi_temp_path $scratch/uwsgi;
			scgi_temp_path $scratch/scgi;
			server { listen 127.0.0.1:$port; root $memory/www; }
		}
	END
	service_start nginx -c "$scratch/nginx.conf"
}

start_redis()
{
	service_port
	service_start redis-server --port "$port" --bind 127.0.0.1 --save '' --appendonly no --dir "$memory"
}

# service_request LOAD COUNT: the client makes so many requests.
service_request()
{
	case $1 in
	nginx) taskset -c 0 ab -q -n "$2" -c 8 "http://127.0.0.1:$port/" ;;
	"nginx, keep-alive") taskset -c 0 ab -q -k -n "$2" -c 8 "http://127.0.0.1:$port/" ;;
	redis) taskset -c 0 redis-benchmark -h 127.0.0.1 -p "$port" -n "$2" -c 20 -q -t set ;;
	esac >"$scratch/client.log" 2>&1 </dev/null ||
		could_not "service: the client of $1: $(tail -n 1 "$scratch/client.log")"
}

# add_own SLICES: adds to $ns the CPU time of the tool itself since $began, for each slice.
add_own()
{
	local own=$((($(cpu_of "$running") - began) / $1))

	own_ns[$tool]=$((${own_ns[$tool]:-0} + own))
	ns=$((ns + own))
}

# Sets $ns to the CPU time of the requests of a slice: the median of a turn, and the tool's own.
service_turn()
{
	local list=() i began before

	service_request "$load" $((requests / 10 + 1))
	began=$(cpu_of "$running")
	for ((i = 0; i < service_slices; i++)); do
		before=$(cpu_of "$serving")
		service_request "$load" "$requests"
		list+=($(($(cpu_of "$serving") - before)))
	done
	ns=$(printf '%s\n' "${list[@]}" | sort -n | sed -n "$((service_slices / 2 + 1))p")
	add_own "$service_slices"
}

# The same for a process that packs, unpacks and removes a tree.
files_turn()
{
	local began

	began=$(cpu_of "$running")
	slices_next
	add_own "$slices_turn"
}

# service_rounds TURN TOOL…: measures the requests of $load.
service_rounds()
{
	local turn=$1 round count name
	local -A slice_ns own_ns

	shift
	for name; do
		ratio service request_ns "$load" "$name" "$load" untraced
	done
	count=$((rounds * $(sized 2 1)))
	for ((round = 0; round < count; round++)); do
		own_ns=()
		turned "$round" "$@"
		slices_round "$turn" "${turned[@]}"
		for name in untraced "$@"; do
			sample service "$load" "$name" request_ns "$(divide "${slice_ns[$name]}" $((2 * requests)))"
		done
		for name; do
			is_ours "$name" &&
				sample service "$load" "$name" own_ns "$(divide "${own_ns[$name]}" $((2 * requests)))"
		done
	done
}

# service_has LOAD COMMAND PACKAGE…: are the commands there?
service_has()
{
	local name=$1

	shift
	while [ $# -gt 0 ]; do
		if ! command -v "$1" >/dev/null; then
			absent service "$name" "$1 is not installed (Debian package $2)"
			return 1
		fi
		shift 2
	done
}

bench_service()
{
	local load requests tool tools words port

	lock
	usable_tools service "${service_tools[@]}"
	for tool in "${tools[@]}"; do
		tool_words "$tool" COMMAND
		command_line service "$tool" "${words[@]}"
	done
	if service_has nginx nginx nginx-light ab apache2-utils; then
		start_nginx
		load=nginx requests=$(sized 5000 200)
		service_rounds service_turn "${tools[@]}"
		load="nginx, keep-alive" requests=$(sized 12000 500)
		service_rounds service_turn "${tools[@]}"
		service_stop
	fi
	if service_has redis redis-server redis-server redis-benchmark redis-tools; then
		load=redis requests=$(sized 25000 1000)
		start_redis
		service_rounds service_turn "${tools[@]}"
		service_stop
	fi
	load=files requests=$(sized 4 1)
	slices_begin mixed "$requests"
	service_rounds files_turn "${tools[@]}"
	slices_end
	unlock
}
