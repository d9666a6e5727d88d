// The shop of the samples.
import fs from "fs";
import { Till, type Coin as Money } from "./till";
import * as all from '../all';
export { helper } from "./helper.js";
const old = require("./old");

/** What is sold. */
export interface Thing<T> extends Base {
  name: string;
  cost(): number;
}

export type Price = { amount: number; unit: string } | null;

export enum Size { Small = 1, Large }

export const LIMIT = 10
const re = /["'`{]/g, other = 1

/**
 * Sells things.
 */
@Injectable({ a: 1 })
export default class Shop<T extends Thing<any>> extends Base implements Seller {
  private till: Till = new Till<Coin>();
  #secret = 1;
  static count = 0

  constructor(private readonly name: string) {
    super(name);
    this.till.open(`a ${ name ? `b ${fs.read("}")}` : '' } c`);
  }

  // Sells one.
  async sell<K>(thing: K, { a, b }: { a: number; b: string } = {}): Promise<{ ok: boolean }> {
    if (thing) { return this.take(thing) / 2; }
    const inner = () => deep();
  }

  private take = (x: number): number => {
    return helper(x);
  };

  get size(): number { return 1 }
  #hide() { return 'don\'t' }
  abstract todo(x?: string): void;
}

export async function open(path: string, cb?: (e: Error) => void): Promise<void> {
  await all.load(path);
}

function* walk() { yield open("x"); }

export const arrow = async (x: string) => {
  return walk();
};

declare module "thing" {
  export function inside(): void;
}

namespace A.B {
  export const x = 1;
  function hidden() {}
}

exports.legacy = function (a, b) { return a };
Shop.prototype.late = function () { return legacy(1) };

function listed() {}
export { listed, LIMIT as MAX };
const el = () => (<Panel title="don't"><Button onClick={() => arrow("x")} /></Panel>);
