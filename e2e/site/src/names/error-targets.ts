import { pageSections } from '../pages/page-text.ts';
import type { NameTargets } from './reference-names.ts';

/** Returns the heading of each error code of `docs/errors.md`, as the pages about one package link to it. */
export function errorTargets(page: string, packageName: string): NameTargets {
  let owner = '';
  const found = pageSections(page).flatMap(({ level, title, anchor }) => {
    if (level === 2) owner = title;
    if (!/^[A-Z][A-Z0-9_]+$/.test(title)) return [];
    return [{ code: title, owner, target: `/errors.md#${anchor}` }];
  });
  // Several packages have a code such as INVALID_OPTION. The later entry of a Map decides.
  const own = found.filter((one) => one.owner === packageName);
  const sorted = [...found.toReversed(), ...own];
  return new Map(sorted.map(({ code, target }) => [code, target]));
}
