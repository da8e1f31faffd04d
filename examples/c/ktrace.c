/*
 * Serves orders, and says so by tracepoints with formats.
 *
 *     cc -I crates/tracepoint/include -o orders examples/c/ktrace.c
 *     lookback record -e 'ktrace:*' -- ./orders && lookback report
 *
 * or while it runs, in a session
 *
 *     lookback start; lookback run -- ./orders 60
 *     lookback set ktrace/events/order_done 1; lookback get trace; lookback get ktrace/info
 */
#include <lookback.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct order {
	int id;
	const char *customer;
	unsigned char token[4];
};

static void serve(const struct order *order)
{
	DO_TRACE(order_taken, "order %d of %s, token %*ph", order->id, order->customer,
		(int)sizeof order->token, (const void *)order->token);
	usleep(1000);
	DO_TRACE(order_done, "order %d of %s is done", order->id, order->customer);
}

int main(int count, char **arguments)
{
	static const char *const customers[] = {"Ada", "Grace", "Barbara"};
	int seconds = count > 1 ? atoi(arguments[1]) : 0;

	for (int id = 1; id <= 3 || id <= seconds * 1000; id++) {
		struct order order = {id, customers[id % 3], {(unsigned char)id, 1, 2, 3}};

		serve(&order);
	}
	puts("served");
	return 0;
}
