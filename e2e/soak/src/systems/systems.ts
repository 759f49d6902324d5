import { claimSystem } from './claims.ts';
import { recipeSystem } from './recipes.ts';
import type { System } from './system.ts';
import { tenantSystem } from './tenants.ts';

/** The systems that the soak runs on one manager. */
export const systems: readonly System[] = [claimSystem, recipeSystem, tenantSystem];
