// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rules of nftables in a network namespace of their own, one in each transaction. */
#include "config.h"

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/live/grow.h"

#define USER_DATA 200 /* bytes of a comment, which make the rule as large as usual ones */

static union {
	struct nlmsghdr first;
	char bytes[4096];
} batch;
static size_t batch_size;
static uint32_t sequence;

/* Adds a message; its attributes follow. */
static struct nlmsghdr *add_message(uint16_t type, uint16_t flags, uint8_t family,
				    uint16_t resource)
{
	struct nlmsghdr *header = (struct nlmsghdr *)(batch.bytes + batch_size);
	struct nfgenmsg *general = (struct nfgenmsg *)(header + 1);

	*header = (struct nlmsghdr){ .nlmsg_type = type,
				     .nlmsg_flags = NLM_F_REQUEST | flags,
				     .nlmsg_seq = ++sequence };
	*general = (struct nfgenmsg){ .nfgen_family = family, .res_id = htons(resource) };
	header->nlmsg_len = NLMSG_LENGTH(sizeof(*general));
	batch_size += header->nlmsg_len;
	return header;
}

static void add_attribute(struct nlmsghdr *header, uint16_t type, const void *value, size_t size)
{
	struct nlattr *attribute = (struct nlattr *)(batch.bytes + batch_size);

	*attribute = (struct nlattr){ .nla_len = (uint16_t)(NLA_HDRLEN + size), .nla_type = type };
	memcpy(attribute + 1, value, size);
	header->nlmsg_len += NLA_ALIGN(attribute->nla_len);
	batch_size += NLA_ALIGN(attribute->nla_len);
}

static struct nlmsghdr *add_nft(uint16_t type, uint16_t flags)
{
	return add_message((uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | type), NLM_F_CREATE | flags,
			   NFPROTO_IPV4, 0);
}

/* Sends the messages, and reads the answer to the one that asks for it. */
static void send_batch(int netlink)
{
	union {
		struct nlmsghdr header;
		char bytes[4096];
	} answer;
	const struct nlmsgerr *error = NLMSG_DATA(&answer.header);

	need((int)send(netlink, &batch, batch_size, 0), "nftables: send");
	need((int)recv(netlink, &answer, sizeof(answer), 0), "nftables: recv");
	errno = answer.header.nlmsg_type == NLMSG_ERROR ? -error->error : 0;
	need(errno ? -1 : 0, "nftables");
}

void make_nft(long number)
{
	static const char user_data[USER_DATA];
	static int netlink;
	struct nlmsghdr *message;

	if (!number) {
		need(unshare(CLONE_NEWNET), "unshare");
		netlink = need(socket(AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER), "netlink");
	}
	memset(&batch, 0, sizeof(batch));
	batch_size = 0;
	add_message(NFNL_MSG_BATCH_BEGIN, 0, 0, NFNL_SUBSYS_NFTABLES);
	if (!number) {
		message = add_nft(NFT_MSG_NEWTABLE, 0);
		add_attribute(message, NFTA_TABLE_NAME, "grow", sizeof("grow"));
		message = add_nft(NFT_MSG_NEWCHAIN, 0);
		add_attribute(message, NFTA_CHAIN_TABLE, "grow", sizeof("grow"));
		add_attribute(message, NFTA_CHAIN_NAME, "chain", sizeof("chain"));
	}
	message = add_nft(NFT_MSG_NEWRULE, NLM_F_APPEND | NLM_F_ACK);
	add_attribute(message, NFTA_RULE_TABLE, "grow", sizeof("grow"));
	add_attribute(message, NFTA_RULE_CHAIN, "chain", sizeof("chain"));
	add_attribute(message, NFTA_RULE_USERDATA, user_data, sizeof(user_data));
	add_message(NFNL_MSG_BATCH_END, 0, 0, NFNL_SUBSYS_NFTABLES);
	send_batch(netlink);
}
