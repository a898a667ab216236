# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
# Sourced by tests, after cli/cli.sh, and by bench/fleet.sh: ClickHouse servers of their own, on free ports of
# 127.0.0.1, with all files in a folder of the test. No service of the system is started or stopped. The test
# calls clickhouse_stop_all before it removes the folder.
#
#   clickhouse_need          exits with 77 where no server is installed
#   clickhouse_start N DIR   starts server N (0, 1, ...); DIR: has all of its files. Again after
#                            clickhouse_kill: the same server, with its data and its port
#   clickhouse_query N TEXT  prints the answer
#   clickhouse_kill N        kill -9
#   clickhouse_ports[N]      its port for HTTP
clickhouse_ports=()
clickhouse_native_ports=()
clickhouse_pids=()
clickhouse_profile='' # XML of settings of all users
clickhouse_start_limit=300 # seconds: a server that needs longer does not start
clickhouse_extra='' # XML inside of the configuration, such as <remote_servers>

clickhouse_need()
{
	local command

	for command in clickhouse-server curl; do
		PATH=$PATH:/usr/sbin command -v "$command" >/dev/null && continue
		skip "$command is not installed (Debian: clickhouse-server and curl)"
	done
}

# A port on which no process listens now.
clickhouse_free_port()
{
	local port

	while :; do
		port=$((20000 + RANDOM % 12000))
		(exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
	done
	echo "$port"
}

clickhouse_configure()
{
	local server=$1 dir=$2

	mkdir -p "$dir/data" "$dir/tmp"
	cat >"$dir/config.xml" <<-END
	<yandex>
	  <logger><level>warning</level><log>$dir/log</log><errorlog>$dir/errors</errorlog></logger>
	  <listen_host>127.0.0.1</listen_host>
	  <http_port>${clickhouse_ports[server]}</http_port>
	  <tcp_port>${clickhouse_native_ports[server]}</tcp_port>
	  <max_connections>64</max_connections>
	  <keep_alive_timeout>3</keep_alive_timeout>
	  <max_concurrent_queries>16</max_concurrent_queries>
	  <uncompressed_cache_size>8388608</uncompressed_cache_size>
	  <mark_cache_size>33554432</mark_cache_size>
	  <path>$dir/data/</path>
	  <tmp_path>$dir/tmp/</tmp_path>
	  <users_config>$dir/users.xml</users_config>
	  <default_profile>default</default_profile>
	  <default_database>default</default_database>
	  <timezone>UTC</timezone>
	  <mlock_executable>false</mlock_executable>
	  $clickhouse_extra
	</yandex>
	END
	cat >"$dir/users.xml" <<-END
	<yandex>
	  <profiles><default>
	    <max_memory_usage>1000000000</max_memory_usage>
	    <max_threads>2</max_threads>
	    <log_queries>0</log_queries>
	    $clickhouse_profile
	  </default></profiles>
	  <users>
	    <default>
	      <password></password>
	      <networks><ip>127.0.0.1</ip></networks>
	      <profile>default</profile><quota>default</quota>
	    </default>
	    <fleet>
	      <password>secret word</password>
	      <networks><ip>127.0.0.1</ip></networks>
	      <profile>default</profile><quota>default</quota>
	    </fleet>
	  </users>
	  <quotas><default/></quotas>
	</yandex>
	END
}

clickhouse_answers()
{
	[ "$(curl -s -m 2 --noproxy '*' "http://127.0.0.1:$1/?query=SELECT%201" 2>/dev/null)" = 1 ]
}

clickhouse_start()
{
	local server=$1 dir=$2 attempt wait

	for attempt in 1 2 3 4 5; do
		if [ -z "${clickhouse_ports[server]:-}" ]; then
			clickhouse_ports[server]=$(clickhouse_free_port)
			clickhouse_native_ports[server]=$(clickhouse_free_port)
		fi
		clickhouse_configure "$server" "$dir"
		PATH=$PATH:/usr/sbin clickhouse-server --config-file="$dir/config.xml" \
			>"$dir/output" 2>&1 </dev/null &
		clickhouse_pids[server]=$!
		for ((wait = 0; wait < clickhouse_start_limit * 10; wait++)); do
			kill -0 "${clickhouse_pids[server]}" 2>/dev/null || break
			clickhouse_answers "${clickhouse_ports[server]}" && return
			sleep 0.1
		done
		clickhouse_kill "$server"
		# another process may have taken the port
		grep -qi 'address already in use' "$dir/output" "$dir/errors" 2>/dev/null || break
		clickhouse_ports[server]=
	done
	echo "ClickHouse server $server did not start after $attempt attempts:"
	tail -n 20 "$dir/output" "$dir/errors"
	return 1
}

clickhouse_query()
{
	curl -s -m 60 --noproxy '*' --data-binary "$2" "http://127.0.0.1:${clickhouse_ports[$1]}/"
}

clickhouse_kill()
{
	[ -n "${clickhouse_pids[$1]:-}" ] || return 0
	kill -9 "${clickhouse_pids[$1]}" 2>/dev/null
	wait "${clickhouse_pids[$1]}" 2>/dev/null
	clickhouse_pids[$1]=
}

clickhouse_stop_all()
{
	local server

	for server in "${!clickhouse_pids[@]}"; do
		clickhouse_kill "$server"
	done
}
