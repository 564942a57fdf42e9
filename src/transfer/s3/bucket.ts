/** A bucket of an S3 server, and the key to it. */
export interface Bucket {
  /** The address of the server, without a slash at its end. */
  readonly endpoint: string;
  readonly name: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The bucket as it may be shown to others. */
export function nameOfBucket({ endpoint, name }: Pick<Bucket, 'endpoint' | 'name'>): string {
  return `${endpoint}/${name}`;
}
