//! The shop.
//! More.

#![allow(dead_code)]
use std::{collections::{HashMap, hash_map::Entry as E}, fmt::{self, Display}};
use crate::till::*;
mod till;
pub mod coins {
    /// One coin.
    #[derive(Debug, Clone)]
    pub struct Coin(pub u32);

    pub(crate) fn mint<'a>(x: &'a str) -> Coin { Coin::new(x.len() as u32, 'x', '\'', "fn no() {") }
}

/// How many.
pub const LIMIT: usize = { 10 };
static mut COUNT: u32 = 0;
type Map<K> = HashMap<K, String>;

/// A thing that sells.
pub trait Seller<T> where T: Clone {
    const N: usize;
    /// Sells.
    fn sell(&self, thing: T) -> Result<T, String>;
    fn twice(&self) -> u32 { 2 }
}

#[derive(
    Debug,
)]
/* block /* nested */ comment */
pub struct Shop<'a, T> {
    name: &'a str,
    raw: T,
}

pub enum Size { Small, Large { x: u32 } }

impl<'a, T: Clone> Shop<'a, T> {
    pub async unsafe fn open(&mut self) -> Self {
        let c = 'c';
        let s = r#"fn hidden() { "quoted" }"#;
        println!("{}", helper::<u32>(1));
        let f = |x: u32| coins::mint("a");
        self.close();
    }
    const fn close(&self) {}
}

impl<T> Seller<T> for Shop<'_, T>
where
    T: Clone,
{
    const N: usize = 3;
    fn sell(&self, thing: T) -> Result<T, String> { Ok(thing.clone()) }
}

impl fmt::Display for crate::coins::Coin { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "x") } }

macro_rules! shop { ($x:expr) => { make($x) }; }

extern "C" { fn outside(x: i32) -> i32; }

fn helper<T>(x: T) -> T { x }

#[cfg(test)]
mod tests {
    #[test]
    fn works() { super::helper(1); }
}
