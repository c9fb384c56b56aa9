/**
 * Particles that Korean writes onto the noun, longest first: 서울에서 (in Seoul) must be found by 서울. At least two syllables stay,
 * so that short words which happen to end like a particle are left whole.
 */
const PARTICLES =
  '에서부터 으로부터 에게서는 이라고는 에서는 에서도 으로서 으로써 으로는 으로도 에게서 에게는 한테서 까지는 까지도 부터는 이라는 이라고 입니다 습니다 에서 에게 에는 에도 으로 로서 로써 로는 로도 까지 부터 처럼 보다 하고 라고 라는 라도 이나 이며 이고 마다 만큼 조차 밖에 한테 께서 은 는 이 가 을 를 에 의 와 과 도 로 만'.split(
    ' ',
  )

/** The word without its particle. */
export function stripParticle(word: string): string {
  const particle = PARTICLES.find((ending) => word.length - ending.length >= 2 && word.endsWith(ending))
  return particle === undefined ? word : word.slice(0, -particle.length)
}
