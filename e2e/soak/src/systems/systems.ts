import { claimSystem } from './claims.ts';
import { planSystem } from './plans.ts';
import { policySystem } from './policies.ts';
import { recipeSystem } from './recipes.ts';
import type { System } from './system.ts';
import { tenantSystem } from './tenants.ts';

/** The systems that the soak runs on one manager. */
export const systems: readonly System[] = [
  claimSystem,
  planSystem,
  policySystem,
  recipeSystem,
  tenantSystem,
];
