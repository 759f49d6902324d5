import { fileURLToPath } from 'node:url';
import type { ControlPlanePart, ControlPlaneParts } from './control-plane-parts.ts';
import type { KnownDifference } from './known-differences.ts';

/** The path of the page. */
export const differencesPage: string = fileURLToPath(
  new URL('../../../docs/apiserver-differences.md', import.meta.url),
);

const opening = `# Where the API server differs

<!-- Generated from e2e/fidelity/known-differences.yaml by \`npm run docs:differences\`. -->

\`@keelson/apiserver\` responds like kube-apiserver 1.36. A comparison sends the same scripted requests to both servers,
each with a fresh control plane, and compares the responses: status codes, bodies, warnings and the events of watches
([\`e2e/fidelity\`](../e2e/fidelity/README.md)). This page lists every known difference. The comparison fails if it finds
a difference that is not listed here, or if a listed difference no longer exists.
`;

/** Returns the text of the page. */
export function renderDifferences(
  known: readonly KnownDifference[],
  parts: ControlPlaneParts,
): string {
  return [opening, renderParts(parts), ...known.map(section)].join('\n');
}

/** Returns the section about the admission plugins and controllers of Kubernetes that are built or missing. */
export function renderParts({ admissionPlugins, controllers }: ControlPlaneParts): string {
  return [
    '## What is not built\n',
    'The names are those of Kubernetes: the admission plugins that kube-apiserver enables by default, and the controllers',
    'of kube-controller-manager. The comparison fails if Kubernetes has changed a list.\n',
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
