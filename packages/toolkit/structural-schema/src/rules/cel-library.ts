import { type CelLibrary, makeCelLibrary, makePatchLibrary } from '@keelson/cel/internal';
import { lazy } from '../lazy.ts';

/** The functions for rules; created when the first rule is compiled. */
export const celLibrary: () => CelLibrary = lazy(makeCelLibrary);

/** The functions and types for the mutations of policies; created when the first mutation is compiled. */
export const patchLibrary: () => CelLibrary = lazy(makePatchLibrary);
