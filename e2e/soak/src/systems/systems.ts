import { claimSystem } from './claims.ts';
import type { System } from './system.ts';

/** The systems that the soak runs on one manager. */
export const systems: readonly System[] = [claimSystem];
