import { readFileSync } from 'node:fs';

// Not static imports: VitePress would compile them with esbuild, which does not know the target of `tsconfig.json`.
const load = (path) => import(new URL(`../../src/${path}`, import.meta.url).href);
const { headingAnchor } = await load('pages/page-text.ts');
const { searchOptions } = await load('build/search-options.ts');

// `src/build/site.ts` writes it, with the pages.
const site = JSON.parse(readFileSync(new URL('../dist/site.json', import.meta.url), 'utf8'));

export default {
  title: 'Keelson',
  description: 'The controller runtime for TypeScript',
  lang: 'en',
  base: site.base,
  srcDir: 'dist/pages',
  outDir: 'dist/site',
  cacheDir: 'dist/cache',
  // The list of all pages is one file in place of a copy in each page.
  metaChunk: true,
  head: [['meta', { name: 'color-scheme', content: 'light dark' }]],
  markdown: {
    html: false,
    anchor: { slugify: headingAnchor },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: nameEmptyHeaders,
  },
  themeConfig: {
    nav: [
      { text: 'Guides', link: '/guides/first-operator.html', activeMatch: '/guides/' },
      { text: 'Reference', link: '/reference/', activeMatch: '/reference/' },
      { text: 'Errors', link: '/errors.html' },
      { text: 'Metrics', link: '/metrics.html' },
      {
        text: site.version,
        items: [
          { text: 'Changelog', link: '/changelog.html' },
          ...(site.versions === undefined ? [] : [{ text: 'All versions', link: site.versions }]),
        ],
      },
      { text: 'Source', link: site.repository },
    ],
    sidebar: {
      '/': [...site.sidebar, { text: 'API', items: [{ text: 'Reference', link: '/reference/' }] }],
      '/reference/': [site.reference, { text: 'Back', items: [{ text: 'Guides', link: '/' }] }],
    },
    outline: { level: [2, 3], label: 'On this page' },
    search: {
      provider: 'local',
      options: {
        // The deeper headings of the reference are the same on each page: Parameters, Returns.
        _render(source, env, markdown) {
          const text = env.relativePath.startsWith('reference/')
            ? source.replaceAll(/^#{4,} .*$/gm, '')
            : source;
          // The index has text only: colours, which take most of the time, are for the pages.
          const { highlight } = markdown.options;
          markdown.options.highlight = null;
          try {
            return markdown.render(text, env);
          } finally {
            markdown.options.highlight = highlight;
          }
        },
        miniSearch: { searchOptions },
        translations: {
          button: { buttonText: 'Search (Ctrl K)', buttonAriaLabel: 'Search (Ctrl K)' },
        },
      },
    },
  },
};

/** The first header of a table with rows of its own is empty in Markdown. A cell that is no header may be empty. */
function nameEmptyHeaders(markdown) {
  const { rules } = markdown.renderer;
  rules.th_open = (tokens, index, options, env, renderer) => {
    tokens[index].tag = headerTag(tokens[index + 1]);
    return renderer.renderToken(tokens, index, options);
  };
  rules.th_close = (tokens, index, options, env, renderer) => {
    tokens[index].tag = headerTag(tokens[index - 1]);
    return renderer.renderToken(tokens, index, options);
  };
}

function headerTag(content) {
  return content?.type === 'inline' && content.content === '' ? 'td' : 'th';
}
