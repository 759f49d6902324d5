/** The folder of the pages that are built from the main branch. */
export const NEXT = 'next';

/** Returns the folder in which the site of a release is published: one per minor version, and `next` for prereleases. */
export function versionFolder(version: string): string {
  const [, minor] = /^(\d+\.\d+)\.\d+$/.exec(version) ?? [];
  return minor ?? NEXT;
}

/** Sorts the folders of versions: the newest release first, `next` last. Other folders are left out. */
export function sortVersions(folders: readonly string[]): string[] {
  const releases = folders.filter((folder) => /^\d+\.\d+$/.test(folder));
  const sorted = releases.toSorted((a, b) => {
    const [majorA = 0, minorA = 0] = a.split('.').map(Number);
    const [majorB = 0, minorB = 0] = b.split('.').map(Number);
    return majorB - majorA || minorB - minorA;
  });
  return folders.includes(NEXT) ? [...sorted, NEXT] : sorted;
}

/** Prints the page that leads from the root of the site to the newest release, or to `next` before the first one. */
export function printRedirect(versions: readonly string[]): string {
  const target = `${versions[0] ?? NEXT}/`;
  return page(
    `<meta http-equiv="refresh" content="0; url=${target}">`,
    `<p><a href="${target}">Documentation of Keelson</a></p>`,
  );
}

/** Prints the list of all versions. */
export function printVersions(versions: readonly string[]): string {
  const items = versions.map((version) => `<li><a href="${version}/">${version}</a></li>`);
  return page('', `<h1>Versions of the documentation</h1>\n<ul>\n${items.join('\n')}\n</ul>`);
}

function page(head: string, body: string): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    '<meta name="color-scheme" content="light dark">',
    '<title>Keelson</title>',
    ...(head === '' ? [] : [head]),
    '</head>',
    '<body>',
    '<main>',
    body,
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}
