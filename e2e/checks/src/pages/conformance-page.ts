import type {
  Behaviour,
  BehaviourGroup,
  Coverage,
  CoveringTest,
  LaterEntry,
} from './conformance.ts';

const head = `# Conformance

The tests that cover each behaviour. Behaviours are numbered cases from the test suites and the public defects of
client-go, controller-runtime, kube-rs and other projects. The name of a test that covers a behaviour starts with its id.

The ids R0 to R3 are requirements that public systems had to learn. Where a requirement demands the same as a behaviour, it
shows the tests of that behaviour. The [four examples](showcase.md) prove the others.

The ids GW, KR, JO and CP are the tests of [Gatekeeper](https://github.com/open-policy-agent/gatekeeper) (\`pkg/watch\`),
[kube-rs](https://github.com/kube-rs/kube) (\`kube-runtime\`: scheduler, reflector, predicates, runner),
[java-operator-sdk](https://github.com/operator-framework/java-operator-sdk) (EventProcessorTest, TemporaryResourceCacheTest) and
[Crossplane](https://github.com/crossplane/crossplane) (\`internal/engine\`, watches of composites) in our words, as of
August 2026. Tests of one behaviour are one case.

\`npm run docs:conformance\` generates this page from the test files, from \`e2e/checks/data\` and, for
behaviours that are not implemented yet, from \`e2e/checks/data/later.json\`. A test fails if it is out of date.

A cell names the test files, and the number of tests in a file if there are several. \`npm test -- FILE -t WQ01\` runs those
of one case.
`;

/** Returns the text of `docs/conformance.md`. */
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
  return `${[head, summary(groups, coverage), ...sections].join('\n')}\n`
    .replaceAll('\n## ', '\n\n## ')
    .replace(/\n{3,}/g, '\n\n');
}

/** The number of cases of each source, and of those that have a test. */
function summary(groups: readonly BehaviourGroup[], coverage: Coverage): string {
  const rows = groups.map(({ title, behaviours }) => {
    const covered = behaviours.filter(({ id }) => coverage.has(id)).length;
    return `| [${title}](#${anchorOf(title)}) | ${behaviours.length} | ${covered} |`;
  });
  return ['| source | cases | with tests |', '|---|---|---|', ...rows].join('\n');
}

/** The anchor that GitHub gives a heading. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function row(
  { id, text }: Behaviour,
  tests: readonly CoveringTest[],
  later: LaterEntry | undefined,
): string {
  return `| ${id} | ${escaped(text)} | ${tests.length > 0 ? linksOf(tests) : reason(later)} |`;
}

/** One link for each test file. */
function linksOf(tests: readonly CoveringTest[]): string {
  const counts = new Map<string, number>();
  for (const { path } of tests) counts.set(path, (counts.get(path) ?? 0) + 1);
  return [...counts]
    .map(([path, count]) => {
      const noun = path
        .split('/')
        .at(-1)
        ?.replace(/(?:\.process)?(?:\.test|\.e2e)?\.ts$/, '');
      return `[${noun}](../${path})${count > 1 ? ` (${count})` : ''}`;
    })
    .join(', ');
}

function reason(later: LaterEntry | undefined): string {
  if (later === undefined) return '';
  const { owner, why } = later;
  return owner === undefined ? `*does not apply*: ${why}` : `*later, ${owner}*: ${why}`;
}

/** Escapes the characters of a sentence that a table cell must not contain. */
function escaped(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll('<', '&lt;');
}
