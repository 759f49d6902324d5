const members = ['dependencies', 'devDependencies'] as const;

type Manifest = Partial<Record<(typeof members)[number], Record<string, string>>>;

/**
 * Sets the versions of `@keelson/*` in a `package.json` to those of the template, and adds packages of Keelson that the
 * template has since. Everything else stays, also the order and the indentation.
 */
export function updatedManifest(present: string, template: string): string {
  const manifest = parsed(present);
  const wanted = parsed(template);
  const before = JSON.stringify(manifest);
  for (const member of members) {
    for (const [name, version] of Object.entries(wanted[member] ?? {})) {
      if (!name.startsWith('@keelson/')) continue;
      const place = members.find((one) => manifest[one]?.[name] !== undefined) ?? member;
      manifest[place] = { ...manifest[place], [name]: version };
    }
  }
  if (JSON.stringify(manifest) === before) return present;
  const indent = /^[ \t]+/m.exec(present)?.[0] ?? '  ';
  return `${JSON.stringify(manifest, null, indent)}\n`;
}

function parsed(text: string): Manifest {
  return JSON.parse(text) as Manifest;
}
