import { type CelLibrary, makeCelLibrary } from '@keelson/cel/internal';
import { lazy } from '../lazy.ts';

/** The functions for rules; created when the first rule is compiled. */
export const celLibrary: () => CelLibrary = lazy(makeCelLibrary);
