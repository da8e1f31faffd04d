//! A program some functions of which can be traced, built by a plain `cargo build`:
//!
//!     cargo run -p lookback --example functions 1000
//!
//! Its sites: `objdump -s -j lookback_functions target/debug/examples/functions`. All of its functions and of
//! those that it uses have sites after `cargo lookback build -p lookback --example functions`.

use std::future::ready;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

struct Cart {
    prices: Vec<u64>,
}

#[lookback::traced]
impl Cart {
    fn of(order: u64) -> Cart {
        Cart { prices: (1..=order % 5).map(|item| item * 100).collect() }
    }

    fn total(&self) -> Result<u64, String> {
        if self.is_empty() {
            return Err("nothing to pay".to_string());
        }
        Ok(self.prices.iter().sum())
    }

    #[lookback::notrace]
    fn is_empty(&self) -> bool {
        self.prices.is_empty()
    }
}

#[lookback::traced]
async fn pay(order: u64) -> Result<u64, String> {
    let total = Cart::of(order).total()?;
    Ok(ready(total).await + order)
}

fn main() {
    let orders = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(10);
    let mut refused = 0;
    for order in 0..orders {
        let payment = pin!(pay(order));
        if let Poll::Ready(Err(_)) = payment.poll(&mut Context::from_waker(Waker::noop())) {
            refused += 1;
        }
    }
    println!("{orders} orders, {refused} refused");
}
