/** For now only what the typed APIs need. */
export function loadClientNode(): Promise<typeof import('@kubernetes/client-node')> {
  return import('@kubernetes/client-node');
}
