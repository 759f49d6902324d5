import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { searchOptions } from '../build/search-options.ts';

/** The members of MiniSearch that the checks use. Only the folder of the generator has the library. */
interface MiniSearch {
  search(query: string, options: object): readonly { readonly id: string }[];
}

interface MiniSearchModule {
  loadJSON(json: string, options: object): MiniSearch;
}

/** Returns a function that finds the addresses of sections by words, as the search box of the site does. */
export async function openSearchIndex(
  generator: string,
  site: string,
): Promise<(query: string) => string[]> {
  const [chunk = ''] = globSync('assets/chunks/@localSearchIndex*.js', { cwd: site });
  const { default: json } = (await import(pathToFileURL(join(site, chunk)).href)) as {
    default: string;
  };
  const load = createRequire(join(generator, 'package.json'));
  const library = load('minisearch') as MiniSearchModule;
  const fields = ['title', 'titles', 'text'];
  const index = library.loadJSON(json, { fields, storeFields: ['title', 'titles'] });
  return (query) => index.search(query, searchOptions).map(({ id }) => id);
}
