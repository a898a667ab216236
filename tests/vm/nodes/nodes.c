// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * When loaded, allocates objects for each node, of kmalloc sizes and large ones, says where the
 * kernel's own map of pages has each of them, and frees them.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/slab.h>

static int __init nodes_init(void)
{
	static const size_t sizes[] = { 64, 1000, 16384 };
	unsigned int i;
	int node, k;

	for_each_online_node(node) for (i = 0; i < ARRAY_SIZE(sizes); i++) for (k = 0; k < 5; k++)
	{
		void *object = kmalloc_node(sizes[i], GFP_KERNEL, node);

		if (!object)
			return -ENOMEM;
		pr_info("nodes: %lx %d\n", (unsigned long)object,
			page_to_nid(virt_to_page(object)));
		kfree(object);
	}
	return 0;
}

static void __exit nodes_exit(void)
{
}

module_init(nodes_init);
module_exit(nodes_exit);
MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("objects on each NUMA node");
