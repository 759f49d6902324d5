/** Errors that depend on the moment at which a storm changes or deletes an object. */
const usual = [
  /the object has been modified/,
  /"web[^"]*" not found/,
  /Precondition failed: UID in precondition/,
  /already exists, the server was not able to generate a unique name/,
  /Error getting updated StatefulSet from lister/,
  // The machine is too busy.
  /TLS handshake timeout|context deadline exceeded|Client\.Timeout exceeded/,
  // The server in memory has no ConfigMaps at its start, so that tests can count their own.
  /kube-apiserver-legacy-service-account-token-tracking/,
];

/** Returns the errors in a log of klog without times, names and numbers, each once, except the usual ones. */
export function errorsOf(log: string): string[] {
  const lines = Array.from(
    log.matchAll(/^E\d{4} \S+ +\d+ ([^\]]+)\] (.*)$/gm),
    ([, at = '', text = '']): [string, string] => [
      at.replace(/:\d+$/, ''),
      text.replaceAll('\\"', '"'),
    ],
  );
  const unusual = lines.filter(([, text]) => !usual.some((pattern) => pattern.test(text)));
  return [...new Set(unusual.map(([at, text]) => `${at} ${normal(text)}`))].toSorted();
}

function normal(text: string): string {
  return text
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '<uid>')
    .replaceAll(/\b(?:deployment|statefulset|daemonset|cronjob|job)-\d+\b/g, '<namespace>')
    .replaceAll(/\bweb(?:-[a-z0-9]+)+\b/g, '<name>')
    .replaceAll(/\d+/g, '<n>');
}
