import { type Overload, overload } from '../../types/function-declaration.ts';
import { succeeds } from '../../values/evaluation-error.ts';
import { MadeMap } from '../../values/map-value.ts';
import { WebAddress } from '../../values/addresses/url.ts';

/** The functions of URLs: absolute ones, and those that start with a slash. */
export const urlFunctions: readonly Overload[] = [
  overload('url(string): URL', (text: string) => new WebAddress(text)),
  overload('isURL(string): bool', (text: string) => succeeds(() => new WebAddress(text))),
  overload('URL.getScheme(): string', ({ scheme }: WebAddress) => scheme),
  overload('URL.getHost(): string', ({ host }: WebAddress) => host),
  overload('URL.getHostname(): string', ({ hostname }: WebAddress) => hostname),
  overload('URL.getPort(): string', ({ port }: WebAddress) => port),
  overload('URL.getEscapedPath(): string', ({ path }: WebAddress) => path),
  overload('URL.getQuery(): map<string, list<string>>', ({ parameters }: WebAddress) => {
    const map = new MadeMap();
    for (const [name, values] of parameters) map.set(name, values);
    return map;
  }),
];
