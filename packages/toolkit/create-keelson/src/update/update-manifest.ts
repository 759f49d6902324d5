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
  const manifest: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
  if (!isObject(manifest)) throw new Error('must be an object');
  for (const member of members) {
    const value: unknown = (manifest as Record<string, unknown>)[member] ?? {};
    if (!isObject(value)) throw new Error(`${member} must be an object`);
  }
  return manifest;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
