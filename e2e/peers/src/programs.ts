/** What of the programs there is. */
export interface Programs {
  /** The Go program; `undefined` where there is none. */
  readonly peers: string | undefined;
  /** A folder with etcd and kube-apiserver; `undefined` where there is none. */
  readonly assets: string | undefined;
}

/** What `npm run e2e:peers` found or built before it started the tests. */
export function programsOf(environment: Readonly<Record<string, string | undefined>>): Programs {
  return { peers: environment.KEELSON_PEERS, assets: environment.KUBEBUILDER_ASSETS };
}

/** Says aloud what the tests cannot show for want of a program. */
export function sayWhatIsMissing({ peers, assets }: Programs): void {
  if (peers === undefined) {
    console.error('!!! SKIPPED: no client-go to run; "npm run e2e:peers" builds it where Go is');
  } else if (assets === undefined) {
    console.error('!!! SKIPPED: no kube-apiserver to compare with; KUBEBUILDER_ASSETS names none');
  }
}
