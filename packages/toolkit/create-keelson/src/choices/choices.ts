import type { ProjectNames } from '../template/render.ts';
import type { Variant } from '../template/variant.ts';

/** The names of a project, and its variant. */
export interface Choices extends ProjectNames {
  readonly variant: Variant;
}

/** The English plural of a kind in lower case. */
export function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(singular) ? `${singular}es` : `${singular}s`;
}
