const introduction = 'Invalid value: ';

/** Replaces each JSON object that follows `Invalid value: ` in a message, with or without quotes. */
export function replaceQuotedObjects(
  message: string,
  replacement: (object: unknown) => unknown,
): string {
  const [head = '', ...rest] = message.split(introduction);
  const parts = rest.map((part) => {
    const literal = part.startsWith('"{') ? text.exec(part)?.[0] : objectAt(part);
    const value = literal === undefined ? undefined : parsed(literal);
    if (literal === undefined || value === undefined) return part;
    const after = part.slice(literal.length);
    if (typeof value !== 'string') return `${JSON.stringify(replacement(value))}${after}`;
    const inner = parsed(value);
    if (inner === undefined) return part;
    return `${JSON.stringify(JSON.stringify(replacement(inner)))}${after}`;
  });
  return [head, ...parts].join(introduction);
}

/** Returns the object at the start of a string, up to its closing brace. */
function objectAt(part: string): string | undefined {
  if (!part.startsWith('{')) return undefined;
  let depth = 0;
  for (const { 0: found, index } of part.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (found === '{') depth += 1;
    if (found === '}') depth -= 1;
    if (depth === 0) return part.slice(0, index + 1);
  }
  return undefined;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

const text = /^"(?:[^"\\]|\\.)*"/;
