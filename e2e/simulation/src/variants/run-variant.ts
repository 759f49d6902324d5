import { registerHooks } from 'node:module';
import { changedSource } from './variant.ts';
import { variants } from './variants.ts';

/**
 * Runs seeds on a broken variant, until one of them breaks an invariant: `run-variant.ts NAME SEEDS`. It changes the
 * source when Node loads it, so the variant needs a process of its own.
 */
const [, , name, seeds] = process.argv;
const variant = variants.find((known) => known.name === name);
if (variant === undefined) throw new Error(`unknown variant: ${String(name)}`);

const changed = changedSource(variant);
let isLoaded = false;
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (url !== changed.url) return loaded;
    isLoaded = true;
    return { ...loaded, source: changed.text };
  },
});

const { planOf } = await import('../run/plan.ts');
const { run } = await import('../run/simulation.ts');
if (!isLoaded) throw new Error(`the simulation does not use ${changed.url}`);

let found: object = {};
for (let seed = 1; seed <= Number(seeds); seed++) {
  const violation = await run(planOf(seed), { seed });
  if (violation === undefined) continue;
  found = { seed, invariant: violation.invariant, message: violation.message };
  break;
}
process.stdout.write(`${JSON.stringify(found)}\n`);
