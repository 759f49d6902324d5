/** A file of the manifests. */
export interface ManifestFile {
  /** The path below the output folder, with `/`. */
  readonly path: string;
  readonly text: string;
}
