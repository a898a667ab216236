#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kmemtrace-ship and servers that are wrong: nothing listens, slow, nonsense, a redirect, errors, a full
# disk, a wrong certificate, an answer that is cut off or has no end. Each gets one clear sentence and
# an exit status, with bounded memory; once the server is well, nothing is missing.
. "$srcdir/cli/cli.sh"
[ -x "$builddir/kmemtrace-ship" ] || skip "this build has no kmemtrace-ship (no libcurl)"
if ! python3 -c 'import http.server, ssl' 2>/dev/null || ! command -v openssl >/dev/null; then
	echo "skipped: python3 and openssl are not installed: no fake servers"
	exit 77
fi
pids=()
before_end '[ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null'
export make_summaries=$builddir/tests/fleet/make_summaries
unset http_proxy https_proxy ALL_PROXY STATE_DIRECTORY
export HOME=$scratch

# start_fake FOLDER [CERTIFICATE]: sets port
start_fake()
{
	mkdir -p "$1"
	echo ok >"$1/mode"
	python3 "$srcdir/fleet/fake_server.py" "$@" 2>"$1/errors" &
	pids+=($!)
	wait_for "the fake server" test -s "$1/port"
	port=$(cat "$1/port")
}

# ship STATUS OPTION...: what it says is in the file said, without ports and details
ship()
{
	local expected=$1 status

	shift
	"$builddir/kmemtrace-ship" --max-memory=100M --state=state "$@" >said 2>&1
	status=$?
	sed -i -E 's/ \([^()]*(\([^()]*\)[^()]*)*\)$//; s/127\.0\.0\.1:[0-9]+/SERVER/g; s/localhost:[0-9]+/SERVER/g; s/after [0-9]+ s/after N s/' said
	[ $status = "$expected" ] || wrong "$*: exit status $status, not $expected: $(cat said)"
}

# says LINE...: this and nothing else
says()
{
	printf 'kmemtrace-ship: %s\n' "$@" >expected
	diff expected said || wrong "$mode: other messages"
}

mkdir files
"$make_summaries" web1 0 19 200 >files/web1.kms
"$make_summaries" 'web 2' 0 4 50 >files/web2.kms
all=$((20 * 201 + 5 * 51))
gave_up='gave up after N s: the files still have all that was not sent: run the same command again'
sent_none='sent 0 summaries to clickhouse://SERVER/fleet'

# The server must have all rows, each once.
has_all()
{
	local rows

	rows=$(sort -u fake/rows | wc -l)
	[ "$rows" = $all ] || wrong "$mode: the server has $rows rows, not $all"
}

start_fake fake
to=--to=clickhouse://127.0.0.1:$port/fleet

# later MODE SENTENCE, never MODE SENTENCE: the failure, which time can heal or not; and then all is sent
later()
{
	mode=$1
	rm -f state fake/rows
	echo "$1" >fake/mode
	ship 2 "$to" --timeout=$([ $mode = slow -o $mode = trickle ] && echo 2 || echo $hang)s --give-up=300ms --max-wait=400ms files
	says "SERVER: $2" "$gave_up" "$sent_none"
	recovers
}

never()
{
	mode=$1
	rm -f state fake/rows
	echo "$1" >fake/mode
	ship 2 "$to" --timeout=${hang}s files
	says "SERVER: $2" "$sent_none"
	recovers
}

recovers()
{
	echo ok >fake/mode
	ship 0 "$to" files
	says 'sent 25 summaries to clickhouse://SERVER/fleet'
	has_all
	ship 0 "$to" files
	says "$sent_none"
}

later 500 'the server failed with HTTP 500'
later full 'the server failed with HTTP 507: it has no space left'
later disk 'the server refused: Cannot reserve 1.00 MiB, not enough space'
later slow 'no whole answer in time: the server or the network is too slow, or something else listens there'
later trickle 'no whole answer in time: the server or the network is too slow, or something else listens there'
later closes 'the server closed the connection too early'
later late 'the server refused: Too many parts'
later resets 'the server closed the connection too early'
later cut 'the server closed the connection too early'
never talks 'the answer to an INSERT has a text: is this a ClickHouse server, without a proxy before it?'
never html 'this is not a ClickHouse server: HTTP 200 without its headers: check the address'
never redirect 'it answers with a redirect, HTTP 302, which is not followed: name the server itself'
[ ! -e fake/followed ] || wrong "a redirect was followed"
# what no host can have would be in the sums about all: it is not sent, as kmemtrace-fleet load does not take it
mode=far
rm -f state fake/rows
ship 1 "$to" "$srcdir/cli/far.kms"
grep -qF 'far.kms: a summary is not sent: it has a time or a figure that no host can have' said && [ ! -s fake/rows ] ||
	wrong "far: $(cat said)"
never password 'the server refused: Wrong password for user \x1b[31mfleet: check the user and the password'
never nonsense "the answer is not HTTP: is this the server's port for HTTP, 8123?"
never endless 'the answer has more than 1048576 bytes: is it a ClickHouse server?'
never headers 'the answer'\''s headers have more than 65536 bytes: is it a ClickHouse server?'

# A new state file after a lost one: all is sent again, and the rows are the same.
mode=repeated
rm state
ship 0 "$to" files
has_all

# nothing listens: one line, not one a try; then the server comes
mode=none
kill "${pids[0]}"
wait "${pids[0]}" 2>/dev/null
pids=()
"$make_summaries" web1 20 29 200 >files/web3.kms
ship 2 "$to" --give-up=1s --max-wait=200ms files
says 'SERVER: no connection: is a ClickHouse server running there, and is this its port for HTTP?' \
	"$gave_up" "$sent_none"

# A server fails once, and answers again while another one is slow, in one pass over the files: what was
# left of the first file is sent.
mode=two
mkdir two
start_fake one
first=$port
start_fake other
two=--to=clickhouse://127.0.0.1:$first,127.0.0.1:$port/fleet
for host in a b c d e f g h; do
	"$make_summaries" $host 0 0 1 >two/$host.kms
	rm -f state one/rows other/rows
	ship 0 "$two" two/$host.kms
	if [ -s one/rows ]; then
		of_first="${of_first-} $host"
	else
		of_other="${of_other-} $host"
	fi
done
read -r one three _ <<<"$of_first"
read -r two_host _ <<<"$of_other"
rm -f two/* one/rows other/rows state
# more than a batch each, in this order
for host in $one "$two_host" "$three"; do
	"$make_summaries" "$host" 0 1199 1 >two/$host.kms
	sleep 0.02 # paced: files are read in the order of their times
done
echo once >one/mode
echo lazy >other/mode
timeout "$hang" "$builddir/kmemtrace-ship" --max-memory=100M --state=state --max-wait=400ms --give-up=20s "$two" two >said 2>&1 ||
	wrong "two servers: exit status $?: $(cat said)"
grep -qF 'sent 3600 summaries' said || wrong "two servers: $(cat said)"
grep -qF 'the server answers again' said || wrong "the first server did not fail: $(cat said)"

# --follow: it waits for the server, goes on as files grow, and ends with a signal
rm -rf fake state
start_fake fake
to=--to=clickhouse://127.0.0.1:$port/fleet
echo 500 >fake/mode
rm files/*
"$make_summaries" web1 0 9 200 >files/web1.kms
"$builddir/kmemtrace-ship" --state=state --status=status --max-wait=300ms --follow "$to" files \
	>said 2>&1 &
follower=$!
pids+=("$follower")
wait_for_line() # wait_for_line PATTERN FILE
{
	wait_for "the line $1 in $2" grep -q "$1" "$2"
}
wait_for_line "^failed .*HTTP 500" status
sleep 1 # paced: it tries again meanwhile, and says nothing
echo ok >fake/mode
wait_for_line '^sent 10$' status
# a block in two parts, as a writer is seen
"$make_summaries" web1 10 14 200 | tail -n +2 >more
head -c 1000 more >>files/web1.kms
sleep 1.2 # paced: it reads the file meanwhile
tail -c +1001 more >>files/web1.kms
wait_for_line '^sent 15$' status
# in the second directory listing
"$make_summaries" web4 0 0 200 >files/web4.kms
wait_for_line '^sent 16$' status
kill -TERM "$follower"
wait "$follower"
status=$?
[ $status = 0 ] || wrong "--follow: exit status $status: $(cat said)"
sed -i 's/127\.0\.0\.1:[0-9]*/SERVER/' said
mode=follow
says 'SERVER: the server failed with HTTP 500' 'SERVER: the server answers again' \
	'sent 16 summaries to clickhouse://SERVER/fleet'
all=$((16 * 201))
has_all

# --follow: the state file cannot be written, a file is removed: both are said once, and all goes on
mode=gone
echo ok >fake/mode
rm -rf state fake/rows files/*
mkdir place
"$make_summaries" web1 0 4 200 >files/web1.kms
"$builddir/kmemtrace-ship" --state=place/state --status=status --max-wait=300ms --follow "$to" files \
	>said 2>&1 &
follower=$!
pids+=("$follower")
wait_for_line '^sent 5$' status
rm -rf place
"$make_summaries" web1 5 9 200 | tail -n +2 >>files/web1.kms
wait_for_line '^sent 10$' status
echo 500 >fake/mode
"$make_summaries" web1 10 11 200 | tail -n +2 >>files/web1.kms
"$make_summaries" web2 0 2 200 >files/web2.kms
wait_for_line "^failed .*HTTP 500" status
wait_for_line '^failing_since 20' status
mv files/web2.kms files/renamed.kms
sleep 1.5 # paced: it finds the new name meanwhile
rm files/web1.kms
wait_for_line '^dropped 2$' status
echo ok >fake/mode
wait_for_line '^sent 13$' status
wait_for_line '^waiting_bytes 0$' status
kill -TERM "$follower"
wait "$follower"
status=$?
[ $status = 1 ] || wrong "$mode: exit status $status: $(cat said)"
sed -i 's/127\.0\.0\.1:[0-9]*/SERVER/' said
says 'place/state.new: No such file or directory: the state cannot be written: what was sent is sent again after the next start' \
	'SERVER: the server failed with HTTP 500' \
	'files/web1.kms: was removed with 2 summaries that no server has' \
	'SERVER: the server answers again' 'sent 13 summaries to clickhouse://SERVER/fleet'

# one of two servers is away: the other gets its hosts, and what waits is that of the first only; files
# of which all is sent are not read again
mode=two
rm -f fake/rows state status files/*
for host in a b c d; do
	"$make_summaries" $host 0 9 500 >files/$host.kms
done
"$builddir/kmemtrace-ship" --state=state --status=status --max-wait=1h --follow \
	"${to%/fleet},127.0.0.1:1/fleet" files >said 2>&1 &
follower=$!
pids+=("$follower")
wait_for_line '^sent 20$' status
wait_for_line "^waiting_bytes $(cat files/b.kms files/d.kms | wc -c)$" status
wait_for_line '^failed 127.0.0.1:1' status
kill -TERM "$follower"
wait "$follower"
rm state

# --descriptors: files and the password come over a socket; its end is the end
mode=descriptors
rm -f fake/rows fake/users
"$make_summaries" web1 0 4 200 >web1.kms
"$make_summaries" web2 0 0 200 >web2.kms
"$make_summaries" web3 0 0 200 >web3.kms
python3 - "$builddir/kmemtrace-ship" "$to" >said 2>&1 <<'END' || wrong "$mode: $(cat said)"
import array, os, socket, subprocess, sys
ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
ship = subprocess.Popen([sys.argv[1], "--descriptors", sys.argv[2], "--state=received"], stdin=its)
its.close()
ours.settimeout(300)

def status(line):
    while True:
        lines = ours.recv(65536).decode().splitlines()
        if line in lines:
            break
        if not lines:
            sys.exit("no \"%s\": it has ended" % line)

def hand_over(name):
    with open(name, "rb") as file:
        ours.sendmsg([b"file " + name.encode()],
                     [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file.fileno()]))])

ours.send(b"credentials user fleet\npassword a word")
hand_over("web1.kms")
status("sent 5")
blocks = open("web1.kms", "rb").read().split(b"\nsummary ")
with open("web1.kms", "r+b") as file: # as kmemtraced cuts a torn end off
    file.truncate(os.stat("web1.kms").st_size - len(blocks[-1]) - len("summary "))
status("waiting_bytes 0")
os.system("%s web1 5 6 200 | tail -n +2 >>web1.kms" % os.environ["make_summaries"])
status("sent 7")
# the last messages come at one moment
ours.send(b"file without")
hand_over("web2.kms")
ours.shutdown(socket.SHUT_WR)
status("sent 8")
sys.exit(ship.wait())
END
sed -i 's/127\.0\.0\.1:[0-9]*/SERVER/' said
says 'a message without a file: are too many files open?' 'sent 8 summaries to clickhouse://SERVER/fleet'
[ "$(sort -u fake/users)" = 'fleet a word' ] || wrong "$mode: $(sort -u fake/users)"
all=$((8 * 201))
has_all
# with a damaged state, all is sent again
echo kmemtrace-ship 1 >received
all=$((2 * 201))
rm fake/rows
python3 - "$builddir/kmemtrace-ship" "$to" >said 2>&1 <<'END' || wrong "$mode: $(cat said)"
import array, socket, subprocess, sys
ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
ours.send(b"credentials ")
for name in "web2.kms", "web3.kms":
    with open(name, "rb") as file:
        ours.sendmsg([b"file " + name.encode()],
                     [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file.fileno()]))])
ours.shutdown(socket.SHUT_WR)
sys.exit(subprocess.run([sys.argv[1], "--descriptors", sys.argv[2], "--state=received"], stdin=its).returncode)
END
sed -i 's/127\.0\.0\.1:[0-9]*/SERVER/' said
says 'received: the state is damaged: all summaries are sent again, which changes nothing in the store' \
	'sent 2 summaries to clickhouse://SERVER/fleet'
has_all
ship 2 "$to" --descriptors </dev/null
says '--descriptors: standard input is not such a socket, or has ended: kmemtraced --ship-to uses this option'
ship 2 "$to" --descriptors files
grep -q '^kmemtrace-ship: --descriptors cannot be used with files' said || wrong "$mode: $(cat said)"

# --max-spool: the oldest go, those that are sent first, and what was not sent is counted
mode=spool
echo 500 >fake/mode
rm -f files/*
for i in 1 2 3 4; do
	"$make_summaries" "new$i" 0 4 200 >files/$i.kms
	touch -d "2026-01-0$i" files/$i.kms
done
size=$(stat -c %s files/1.kms)
ship 2 "$to" --give-up=300ms --max-wait=200ms --max-spool=$((size * 3 + 100)) files
grep -qx 'kmemtrace-ship: files/1.kms: removed for --max-spool with 5 summaries that no server has' said ||
	wrong "--max-spool: $(cat said)"
[ "$(echo files/*)" = 'files/2.kms files/3.kms files/4.kms' ] || wrong "--max-spool: $(echo files/*)"
echo ok >fake/mode
ship 0 "$to" --max-spool=$((size * 2 + 100)) files
says 'sent 15 summaries to clickhouse://SERVER/fleet'
[ "$(echo files/*)" = 'files/3.kms files/4.kms' ] || wrong "--max-spool: $(echo files/*)"

# damage, other files and sums
mode=damaged
rm -rf files state
mkdir files
"$make_summaries" web1 0 4 200 >files/web1.kms
printf X | dd of=files/web1.kms bs=1 seek=5000 conv=notrunc 2>/dev/null
echo nothing >files/other.kms
touch -d 2026-01-01 files/other.kms
ln -s /etc/passwd files/link.kms
ship 1 "$to" files
grep -v ': the summary at byte' said >rest
mv rest said
says 'files/other.kms: not a file of summaries' 'sent 4 summaries to clickhouse://SERVER/fleet'

# another server, another state; two at once
mode=state
ship 2 --to=clickhouse://127.0.0.1:1/fleet files
says 'state: this state is about another server, clickhouse://SERVER/fleet: name another file with --state'
exec 9>>state.lock
flock -n 9
ship 2 "$to" files
says 'state: another kmemtrace-ship uses this state file: name another one with --state'
exec 9>&-
echo kmemtrace-ship 1 >state
ship 2 "$to" files
says 'state: this is not a whole state file: remove it, and all summaries are sent again, which changes nothing in the store'

# the user and the password, which are in no message and in no list of arguments
mode=credentials
rm -f state fake/users
printf 'user fleet\npassword a "long" word\n' >secret
chmod 640 secret
ship 2 "$to" --credentials=secret files
says 'secret: other users may read or write it (mode 640), and it has a password: chmod 600 it'
chmod 600 secret
ship 1 "$to" --credentials=secret files
[ "$(sort -u fake/users)" = 'fleet a "long" word' ] || wrong "credentials: $(sort -u fake/users)"
rm state fake/users
KMEMTRACE_CLICKHOUSE_USER=one KMEMTRACE_CLICKHOUSE_PASSWORD=two ship 1 "$to" files
[ "$(sort -u fake/users)" = 'one two' ] || wrong "environment: $(sort -u fake/users)"
ship 2 --to=clickhouse://fleet:hidden@127.0.0.1/fleet files
! grep -q hidden said || wrong "a password in a message: $(cat said)"
says '--to: a user and a password do not belong in the address: put them into the environment or --credentials=FILE, as in clickhouse://HOST:8123/DATABASE'
for url in http://a/b clickhouse://a clickhouse:///b clickhouse://a:0/b clickhouse://a:99999/b \
	clickhouse://a,/b 'clickhouse://a/b;c' clickhouse://a/ 'clickhouse://a b/c'; do
	ship 2 "--to=$url" files
	grep -q '^kmemtrace-ship: --to: .*, as in clickhouse://' said || wrong "$url: $(cat said)"
done

# TLS: a certificate that no authority has signed, that is for another name, and a right one
mode=tls
rm -f state files/other.kms
"$make_summaries" web1 0 4 200 >files/web1.kms
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
	-keyout key -out certificate 2>/dev/null
cat certificate key >both
start_fake secure both
ship 2 "--to=clickhouses://localhost:$port/fleet" files
says 'SERVER: its certificate cannot be verified: name its authority with --ca=FILE, and use the server name of the certificate' \
	'sent 0 summaries to clickhouses://SERVER/fleet'
ship 2 "--to=clickhouses://127.0.0.1:$port/fleet" --ca=certificate files
says 'SERVER: its certificate cannot be verified: name its authority with --ca=FILE, and use the server name of the certificate' \
	'sent 0 summaries to clickhouses://SERVER/fleet'
ship 0 "--to=clickhouses://localhost:$port/fleet" --ca=certificate files
says 'sent 5 summaries to clickhouses://SERVER/fleet'
exit $failed
