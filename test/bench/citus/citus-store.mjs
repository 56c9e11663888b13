/** Databases for stores on a cluster. */
let made = 0

/** Creates a database on every server of a cluster. Returns it as `fillStore` accepts it. */
export async function clusterDatabase(cluster) {
  const name = `svc_bench_${++made}`
  await cluster.createDatabase(name, "TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'")
  return { name, url: cluster.url(name), drop: async () => {} }
}
