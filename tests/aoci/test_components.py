from support.facts import facts

from aoci_agent.aoci.layers import layer_of


def test_vue_components() -> None:
    found = facts(
        "src/components/UserForm.vue",
        """
        <!-- Edits one user. -->
        <template>
          <form @submit.prevent="save">
            <h2>Your profile</h2>
            <TextField v-model="name" label="Full name" />
            <text-field :label="other" />
            <slot name="footer" /> <slot />
            {{ count > 1 ? 'many' : 'one' }}
            <button type="button" @click="$emit('cancel')">Cancel it</button>
          </form>
        </template>

        <script lang="ts">
        export const ROLES = ['a'];
        </script>
        <script setup lang="ts">
        import TextField from './TextField.vue'
        import { useUserStore } from '@/stores/user'

        const props = defineProps<{
          user: User // who
          readonly?: boolean
          nested: { inner: string }
        }>()
        const emit = defineEmits<{ (e: 'saved' | 'failed', id: number): void }>()
        const store = useUserStore()
        /** Stores it. */
        async function save(): Promise<void> { await fetch('/api/users/1'); emit('saved', 1) }
        </script>
        <style>.a { color: red; }</style>
        """,
    )
    assert found.language == "vue"
    assert found.doc == "Edits one user."
    assert [(s.name, s.line) for s in found.symbols] == [("ROLES", 14)]
    imports = {item.module: dict(item.names) for item in found.imports}
    assert imports["./TextField.vue"] == {"default": 3}
    assert found.texts == ("Your profile", "Cancel it", "Full name")
    assert found.notes == (
        "props user, readonly, nested",
        "emits saved, cancel, failed",
        "slots footer, default",
        "stores useUserStore",
        "functions save",
    )
    assert found.calls == ("/api/users/1",)
    assert layer_of("src/components/UserForm.vue", found) == "K"
    plain = facts(
        "A.vue",
        """
        <script>
        export default {
          props: { size: Number, kind: { type: String, default: 'x' } },
          emits: ['done'],
          methods: {
            async load() { },
          },
        }
        </script>
        """,
    )
    assert plain.doc == "props size, kind; emits done"
    assert plain.notes == ("functions load",)


def test_svelte_components() -> None:
    found = facts(
        "src/routes/blog/+page.svelte",
        """
        <script context="module">
          export const ssr = false;
        </script>
        <script>
          import Card from '$lib/Card.svelte';
          export let title = 'x';
          export let items;
          function load() { dispatch('loaded'); }
        </script>
        {#each items as item}<Card {item} on:click={() => load()}>Read more</Card>{/each}
        """,
    )
    assert found.notes == ("props title, items", "emits loaded", "functions load")
    assert [(s.name, s.line) for s in found.symbols] == [("ssr", 2)]
    assert found.exports == ("ssr",)
    assert found.texts == ("Read more",)
    assert layer_of("src/routes/blog/+page.svelte", found) == "V"
    runes = facts(
        "B.svelte", '<script lang="ts">\nlet { user, errors = [] }: Props = $props();\n</script>\n'
    )
    assert runes.doc == "props user, errors"
