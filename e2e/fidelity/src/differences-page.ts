import { fileURLToPath } from 'node:url';
import type { ControlPlanePart, ControlPlaneParts } from './control-plane-parts.ts';
import type { KnownDifference } from './known-differences.ts';

/** Where the page stands. */
export const differencesPage: string = fileURLToPath(
  new URL('../../../docs/apiserver-differences.md', import.meta.url),
);

const opening = `# Where the API server differs

<!-- Made of e2e/fidelity/known-differences.yaml by \`npm run docs:differences\`. -->

\`@keelson/apiserver\` answers like kube-apiserver 1.36. A scripted conversation is held with both, on a fresh control
plane each, and their answers are compared: status codes, bodies, warnings, the events of watches
([\`e2e/fidelity\`](../e2e/fidelity/README.md)). What follows is everything in which they are known to differ. The comparison
fails on a difference that is not listed here, and on an entry whose difference has gone.
`;

/** The page of the known differences. */
export function renderDifferences(
  known: readonly KnownDifference[],
  parts: ControlPlaneParts,
): string {
  return [opening, renderParts(parts), ...known.map(section)].join('\n');
}

/** What is built of the admission plugins and controllers of Kubernetes, and what is not. */
export function renderParts({ admissionPlugins, controllers }: ControlPlaneParts): string {
  return [
    '## What is not built\n',
    'From the lists of Kubernetes itself: the admission plugins that kube-apiserver enables by default, and the controllers',
    'of kube-controller-manager. A run of the conversation fails when a list has changed.\n',
    table('admission plugin', admissionPlugins),
    table('controller', controllers),
  ].join('\n');
}

function table(title: string, parts: readonly ControlPlanePart[]): string {
  const rows = parts.map(
    ({ name, built, missing }) => `| ${name} | ${built ?? ''} | ${missing ?? ''} |`,
  );
  return `${[`| ${title} | built | not built |`, '|---|---|---|', ...rows].join('\n')}\n`;
}

function section({ title, reason, steps = [] }: KnownDifference): string {
  const shown = steps.length === 0 ? '' : `\nSeen in:\n\n${steps.map(item).join('')}`;
  return `## ${title}\n\n${reason.trim()}\n${shown}`;
}

function item(step: string): string {
  return `- ${step}\n`;
}
