import type {
  Behaviour,
  BehaviourGroup,
  Coverage,
  CoveringTest,
  LaterEntry,
} from './conformance.ts';

const head = `# Conformance

Which test covers which behaviour. Behaviours are numbered cases from the suites and the public defects of
client-go, controller-runtime, kube-rs and others; a test that covers one begins its name with the id.

This page is written by \`npm run docs:conformance\` from the test files, from
\`e2e/checks/data/behaviours.txt\` and, for what is not there yet, from
\`e2e/checks/data/later.json\`. A test fails when page and suite differ.
`;

/** The text of `docs/conformance.md`. */
export function printConformancePage(
  groups: readonly BehaviourGroup[],
  coverage: Coverage,
  later: readonly LaterEntry[],
): string {
  const laterById = new Map(later.flatMap((entry) => entry.ids.map((id) => [id, entry] as const)));
  const sections = groups.map(({ title, behaviours }) =>
    [
      `## ${title}`,
      '',
      '| case | behaviour | tests |',
      '|---|---|---|',
      ...behaviours.map((one) => row(one, coverage.get(one.id) ?? [], laterById.get(one.id))),
    ].join('\n'),
  );
  return `${[head, ...sections].join('\n')}\n`
    .replaceAll('\n## ', '\n\n## ')
    .replace(/\n{3,}/g, '\n\n');
}

function row(
  { id, text }: Behaviour,
  tests: readonly CoveringTest[],
  later: LaterEntry | undefined,
): string {
  const owner = later === undefined ? '' : `*later, ${later.owner}*: ${later.why}`;
  const cell = tests.length > 0 ? tests.map((test) => link(test)).join('<br>') : owner;
  return `| ${id} | ${escaped(text)} | ${cell} |`;
}

function link({ path, name }: CoveringTest): string {
  const file = path.split('/').at(-1);
  return `[${file}](../${path}) ${escaped(name)}`;
}

/** What a name may hold and a cell of a table may not. */
function escaped(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll('<', '&lt;');
}
