import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { load } from 'js-yaml';
import type { Step } from '../step.ts';
import { named, type Request, requestOn } from './random-session.ts';
import type { Fragment, SessionKind } from './session-kind.ts';

/** One rule, mutation or condition with an expression. */
interface Expression extends Fragment {
  readonly expression: string;
}

/** The parts of webhooks and policies, from `sessions/admission.yaml`. */
export interface AdmissionParts {
  readonly validations: readonly Expression[];
  /** Expressions of the type `Object`. */
  readonly applies: readonly string[];
  /** Expressions of the type list of `JSONPatch`. */
  readonly patches: readonly string[];
  readonly conditions: readonly Expression[];
  readonly rules: readonly Fragment[];
  /** The paths of webhooks at the endpoint of the conversation. */
  readonly mutating: readonly string[];
  readonly validating: readonly string[];
}

const file = new URL('../../sessions/admission.yaml', import.meta.url);

/** Reads the parts of the admission sessions. */
export async function readAdmissionParts(): Promise<AdmissionParts> {
  return load(await readFile(fileURLToPath(file), 'utf8')) as AdmissionParts;
}

/**
 * Generates a session with webhooks and policies: steps that write and delete their configurations, between requests on one
 * or two kinds. After each change a probe waits until it is in effect, because kube-apiserver needs a moment.
 */
export function admissionSession(
  kinds: readonly SessionKind[],
  parts: AdmissionParts,
): fc.Arbitrary<readonly Step[]> {
  const change = changeOf(parts);
  return fc
    .shuffledSubarray([...kinds], { minLength: 1, maxLength: Math.min(2, kinds.length) })
    .chain((chosen) => {
      const write = fc
        .constantFrom(...chosen)
        .chain(requestOn)
        .map((request) => [request]);
      const group = fc.oneof({ weight: 4, arbitrary: write }, { weight: 1, arbitrary: change });
      return fc.tuple(change, fc.array(group, { minLength: 8, maxLength: 24, size: 'max' }));
    })
    .map(([first, rest]) => [first, ...rest, cleaning].flat().map(named));
}

const api = '/apis/admissionregistration.k8s.io/v1';

/** The collections of the configurations; a session has at most one object in each. */
const plurals = [
  'mutatingadmissionpolicies',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingwebhookconfigurations',
] as const;

type Plural = (typeof plurals)[number];

/** The configurations are cluster-scoped, and stay in effect until the end of the session. */
const cleaning: readonly Request[] = plurals.flatMap((plural) =>
  removalsOf(plural).map((request) => ({ ...request, statusOnly: true })),
);

function changeOf(parts: AdmissionParts): fc.Arbitrary<readonly Request[]> {
  const removal = fc
    .constantFrom(...plurals)
    .map((plural) => [...removalsOf(plural), probe(plural, { until: 201 })]);
  const written = [
    mutatingPolicy(parts),
    mutatingWebhook(parts),
    validatingPolicy(parts),
    validatingWebhook(parts),
  ];
  return fc.oneof(
    { weight: 4, arbitrary: fc.oneof(...written) },
    { weight: 1, arbitrary: removal },
  );
}

function removalsOf(plural: Plural): readonly Request[] {
  const collections = isPolicy(plural) ? [bindingsOf(plural), plural] : [plural];
  return collections.map((each) => ({ request: `DELETE ${api}/${each}/\${ns}` }));
}

function isPolicy(plural: Plural): boolean {
  return plural.endsWith('policies');
}

function bindingsOf(plural: Plural): string {
  return plural.replace(/ies$/, 'ybindings');
}

/** A write to which only the probed configuration responds. */
function probe(plural: Plural, until: Pick<Step, 'until' | 'untilBody'>): Request {
  return {
    request: 'POST /api/v1/namespaces/${ns}/configmaps?dryRun=All',
    ...until,
    statusOnly: true,
    body: { metadata: { name: 'probe', labels: { probe: plural } } },
  };
}

/** A text by which a probe recognizes one change. */
const revision = fc.integer({ min: 1_000_000, max: 9_999_999 }).map(String);

function apply(collection: string, kind: string, body: Fragment): Request {
  return {
    request: `PATCH ${api}/${collection}/\${ns}?fieldManager=session&force=true`,
    type: 'apply',
    body: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind,
      metadata: { name: '${ns}' },
      ...body,
    },
  };
}

/** Writes a configuration, and its binding if it is a policy. */
function writes(plural: Plural, marker: string, content: Fragment, binding?: Fragment): Request[] {
  const kind = kinds[plural];
  return [
    apply(plural, kind, content),
    ...(binding === undefined
      ? []
      : [
          apply(bindingsOf(plural), `${kind}Binding`, {
            spec: { policyName: '${ns}', ...binding },
          }),
        ]),
    probe(plural, { untilBody: marker }),
  ];
}

const kinds: Readonly<Record<Plural, string>> = {
  mutatingadmissionpolicies: 'MutatingAdmissionPolicy',
  mutatingwebhookconfigurations: 'MutatingWebhookConfiguration',
  validatingadmissionpolicies: 'ValidatingAdmissionPolicy',
  validatingwebhookconfigurations: 'ValidatingWebhookConfiguration',
};

const ownNamespace = { matchLabels: { 'kubernetes.io/metadata.name': '${ns}' } };
const probeRule = {
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE'],
  resources: ['configmaps'],
};

/** The label of a probe in an expression. */
const probed = "(object == null ? optional.none() : object.metadata.?labels[?'probe'])";

function guarded(expression: string): string {
  return `${probed}.hasValue() || (${expression})`;
}

/** The members that the policies of both kinds have. */
function policyTarget({ conditions, rules }: AdmissionParts): fc.Arbitrary<Fragment> {
  return fc
    .record({
      rule: fc.constantFrom(...rules),
      conditions: fc.subarray([...conditions], { maxLength: 1 }),
      failurePolicy: fc.constantFrom('Fail', 'Fail', 'Ignore'),
      matchPolicy: fc.constantFrom('Equivalent', 'Exact'),
    })
    .map(({ rule, conditions: chosen, failurePolicy, matchPolicy }) => ({
      failurePolicy,
      matchConstraints: {
        resourceRules: [rule, probeRule],
        namespaceSelector: ownNamespace,
        matchPolicy,
      },
      matchConditions: chosen.map(({ expression, ...rest }) => ({
        ...rest,
        expression: guarded(expression),
      })),
      variables: [
        {
          name: 'names',
          expression:
            'object == null ? [] : object.?metadata.name.hasValue() ? [object.metadata.name] : []',
        },
      ],
    }));
}

function validatingPolicy(parts: AdmissionParts): fc.Arbitrary<Request[]> {
  const plural = 'validatingadmissionpolicies';
  return fc
    .record({
      target: policyTarget(parts),
      validation: fc.constantFrom(...parts.validations),
      actions: fc.constantFrom(['Deny'], ['Deny'], ['Warn'], ['Deny', 'Audit']),
      marker: revision,
    })
    .map(({ target, validation: { expression, ...rest }, actions, marker }) => {
      const own = { expression: `${probed}.orValue('') != '${plural}'`, message: marker };
      const validations = [own, { ...rest, expression: guarded(expression) }];
      const spec = { ...target, validations };
      return writes(plural, marker, { spec }, { validationActions: actions });
    });
}

function mutatingPolicy(parts: AdmissionParts): fc.Arbitrary<Request[]> {
  const plural = 'mutatingadmissionpolicies';
  const mutation = fc.oneof(
    fc.constantFrom(...parts.applies).map((each) => ({
      patchType: 'ApplyConfiguration',
      applyConfiguration: { expression: `${probed}.hasValue() ? Object{} : (${each})` },
    })),
    fc.constantFrom(...parts.patches).map((each) => ({
      patchType: 'JSONPatch',
      jsonPatch: { expression: `${probed}.hasValue() ? [] : (${each})` },
    })),
  );
  return fc
    .record({
      target: policyTarget(parts),
      mutations: fc.array(mutation, { minLength: 1, maxLength: 2 }),
      reinvocationPolicy: fc.constantFrom('Never', 'IfNeeded'),
      marker: revision,
    })
    .map(({ target, mutations, reinvocationPolicy, marker }) => {
      const add = `JSONPatch{op: "add", path: "/data", value: {"revision": "${marker}"}}`;
      const own = `${probed}.orValue('') == '${plural}' ? [${add}] : []`;
      const all = [{ patchType: 'JSONPatch', jsonPatch: { expression: own } }, ...mutations];
      return writes(
        plural,
        marker,
        { spec: { ...target, reinvocationPolicy, mutations: all } },
        {},
      );
    });
}

function mutatingWebhook(parts: AdmissionParts): fc.Arbitrary<Request[]> {
  const more = fc
    .constantFrom('Never', 'IfNeeded')
    .map((reinvocationPolicy) => ({ reinvocationPolicy }));
  return webhook('mutatingwebhookconfigurations', parts, parts.mutating, more);
}

function validatingWebhook(parts: AdmissionParts): fc.Arbitrary<Request[]> {
  const more = fc.constant({});
  return webhook('validatingwebhookconfigurations', parts, parts.validating, more);
}

function webhook(
  plural: Plural,
  { conditions, rules }: AdmissionParts,
  paths: readonly string[],
  members: fc.Arbitrary<Fragment>,
): fc.Arbitrary<Request[]> {
  return fc
    .record({
      path: fc.constantFrom(...paths),
      rule: fc.constantFrom(...rules),
      matchConditions: fc.subarray([...conditions], { maxLength: 1 }),
      failurePolicy: fc.constantFrom('Fail', 'Fail', 'Ignore'),
      matchPolicy: fc.constantFrom('Equivalent', 'Exact'),
      more: members,
      marker: revision,
    })
    .map(({ path, rule, more, marker, ...own }) => {
      const common = {
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        namespaceSelector: ownNamespace,
      };
      const others = { matchExpressions: [{ key: 'probe', operator: 'DoesNotExist' }] };
      const webhooks = [
        {
          ...common,
          name: 'probe.example.com',
          clientConfig: configOf(`revision/${marker}`),
          rules: [probeRule],
          objectSelector: { matchLabels: { probe: plural } },
        },
        {
          ...common,
          ...own,
          ...more,
          name: 'random.example.com',
          clientConfig: configOf(path),
          rules: [rule],
          objectSelector: others,
        },
      ];
      return writes(plural, marker, { webhooks });
    });
}

function configOf(path: string): Fragment {
  return { url: `\${hooks}/${path}`, caBundle: '${ca}' };
}
