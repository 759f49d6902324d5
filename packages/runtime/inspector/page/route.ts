/** A place of the page, which the fragment of the address names, so that it can be linked. */
export type Route =
  | { readonly page: 'overview' }
  | { readonly page: 'controller'; readonly controller: string }
  | { readonly page: 'request'; readonly controller: string; readonly request: string }
  | { readonly page: 'watch'; readonly id: string };

export function routeOf(hash: string): Route {
  const [page, first = '', second = ''] = hash
    .replace(/^#\/?/, '')
    .split('/')
    .map((part) => decoded(part));
  if (page === 'controller' && first !== '') return { page, controller: first };
  if (page === 'request' && second !== '') return { page, controller: first, request: second };
  if (page === 'watch' && first !== '') return { page, id: first };
  return { page: 'overview' };
}

export function linkTo(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}

/** A fragment that is not encoded well names itself. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
