//! Starts `gpuasync-lsp` for MLIR files: the program in the settings, or else the one on PATH.

use zed_extension_api::{self as zed, settings::LspSettings, LanguageServerId, Result, Worktree};

struct GpuAsync;

impl zed::Extension for GpuAsync {
    fn new() -> Self {
        GpuAsync
    }

    fn language_server_command(
        &mut self,
        id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<zed::Command> {
        let configured = LspSettings::for_worktree(id.as_ref(), worktree)?
            .binary
            .and_then(|binary| binary.path);
        let command = configured
            .or_else(|| worktree.which("gpuasync-lsp"))
            .ok_or("gpuasync-lsp was not found; install it with pip from a checkout")?;
        Ok(zed::Command {
            command,
            args: vec!["--stdio".into()],
            env: worktree.shell_env(),
        })
    }

    fn language_server_workspace_configuration(
        &mut self,
        id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<zed::serde_json::Value>> {
        Ok(LspSettings::for_worktree(id.as_ref(), worktree)?.settings)
    }
}

zed::register_extension!(GpuAsync);
