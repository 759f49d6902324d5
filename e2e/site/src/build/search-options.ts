/** How the search box of the site ranks sections. VitePress copies the function into the pages, so it uses nothing outside. */
export const searchOptions = {
  fuzzy: 0.1,
  prefix: true,
  combineWith: 'AND',
  boost: { title: 4, titles: 2, text: 1 },
  /** Guides explain; the reference has the same words on many pages, and the evidence lists them. */
  boostDocument(id: string): number {
    if (/\/(?:conformance|changelog|showcase|soak|performance)\.html/.test(id)) return 0.2;
    if (/\/(?:designs|examples)\//.test(id)) return 0.5;
    // The name itself, or a member of it.
    if (/\/reference\//.test(id))
      return /#(?:function|class|variable|interface|type-alias)-/.test(id) ? 0.8 : 0.3;
    return /\/guides\//.test(id) ? 2 : 1;
  },
} as const;
