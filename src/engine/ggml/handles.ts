/**
 * What the rest of the engine may hold of ggml: opaque, so that no address is ever added to, kept after its owner's end,
 * or passed where another kind belongs.
 */
declare const kind: unique symbol

type Handle<Name extends string> = { readonly [kind]: Name }

export type Tensor = Handle<'tensor'>
export type Context = Handle<'context'>
export type GraphHandle = Handle<'graph'>
export type BufferHandle = Handle<'buffer'>
export type BufferType = Handle<'buffer type'>
export type Allocator = Handle<'allocator'>
export type Backend = Handle<'backend'>
export type Device = Handle<'device'>
export type Registry = Handle<'registry'>
/** Plain memory of C, or a function there; null where there is none. */
export type Address = Handle<'address'>
