// Stands for fast-check in tests while KEELSON_SEED is set: `.ci/run` sets it to a number of the commit, so that a second run
// of one commit makes the same random decisions. Without it fast-check chooses a seed by chance.
import { configureGlobal } from '../../node_modules/fast-check/lib/fast-check.js';

configureGlobal({ seed: Number(process.env.KEELSON_SEED) });

export * from '../../node_modules/fast-check/lib/fast-check.js';
